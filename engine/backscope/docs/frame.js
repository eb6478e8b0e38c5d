// Makes the frame that plays a recording, from the page of the player and what is put into it.
function backscopeFrame(page, { about, trace, title, height }) {
  const nonce = crypto.getRandomValues(new Uint32Array(4)).join('');
  const written = title.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const parts = { TITLE: written, NONCE: nonce, ABOUT: about, RECORDING: trace };
  const frame = document.createElement('iframe');
  // Answers are forms, which the page itself reads: its rules let none be sent.
  frame.sandbox = 'allow-scripts allow-forms';
  frame.title = title;
  frame.style.cssText = `width:100%;height:${Number(height)}px;border:0;display:block`;
  frame.srcdoc = page.replace(/BACKSCOPE_(TITLE|NONCE|ABOUT|RECORDING)/g, (_, name) => parts[name]);
  return frame;
}
