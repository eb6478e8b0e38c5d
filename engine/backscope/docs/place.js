// Puts the player into a place of a book; frame.js of the notebooks comes before it.
function backscopePlay(place, page, { about, trace, title, height, grows }) {
  const nonce = crypto.getRandomValues(new Uint32Array(4)).join('');
  const written = title.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const put = { TITLE: written, NONCE: nonce, ABOUT: about, RECORDING: trace };
  // Answers are forms, which the page itself reads: its rules let none be sent.
  const frame = backscopeFrame(page, put, title, 'allow-forms');
  frame.style.height = `${Number(height)}px`;
  place.replaceChildren(frame);
  if (!grows) return;
  // A lesson says which height its page needs; what a reader has seen does not become smaller.
  const grow = ({ source, data }) => {
    if (!frame.isConnected) return removeEventListener('message', grow);
    const wanted = source === frame.contentWindow && data?.type === 'backscope:height' ? Math.ceil(data.height) : 0;
    if (wanted > frame.offsetHeight && wanted < 2000) frame.style.height = `${wanted}px`;
  };
  addEventListener('message', grow);
}
