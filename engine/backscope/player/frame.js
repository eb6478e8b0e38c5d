// The frame that plays a recording or a lesson, in notebooks and in books: `page` is the page of the player, `put` what is put into it.
// A declaration, for a page of a book may have this script several times.
function backscopeFrame(page, put, title, rights) {
  const frame = document.createElement("iframe");
  frame.title = title;
  frame.sandbox = `allow-scripts ${rights}`;
  frame.style.cssText = "display:block;width:100%;height:100%;border:0";
  frame.srcdoc = page.replace(/BACKSCOPE_(TITLE|NONCE|ABOUT|RECORDING)/g, (_, part) => put[part]);
  return frame;
}
