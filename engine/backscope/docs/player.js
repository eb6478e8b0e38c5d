// Shows the recordings of a book: each in a frame of its own, which the one player of the whole site fills when it is near.
(() => {
  const base = new URL('.', document.currentScript.src).href;
  const loads = new Map();
  const load = (name) => {
    if (!loads.has(name)) {
      loads.set(
        name,
        new Promise((done, failed) => {
          const script = document.createElement('script');
          script.src = base + name;
          script.onload = done;
          script.onerror = failed;
          document.head.append(script);
        }),
      );
    }
    return loads.get(name);
  };
  const show = async (place) => {
    const { recording, height, title } = place.dataset;
    await Promise.all([load('page.js'), load(`${recording}.js`)]);
    const { about, trace } = window.backscopeRecordings[recording];
    const nonce = crypto.getRandomValues(new Uint32Array(4)).join('');
    const written = title.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
    const parts = { TITLE: written, NONCE: nonce, ABOUT: about, RECORDING: trace };
    const page = window.backscopePage.replace(/BACKSCOPE_(TITLE|NONCE|ABOUT|RECORDING)/g, (_, name) => parts[name]);
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    frame.title = title;
    frame.style.cssText = `width:100%;height:${Number(height)}px;border:0;display:block`;
    frame.srcdoc = page;
    place.replaceChildren(frame);
  };
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      show(target).catch(() => target.setAttribute('data-lost', ''));
    }
  }, { rootMargin: '600px' });
  const begin = () => document.querySelectorAll('[data-recording]').forEach((place) => near.observe(place));
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
  else begin();
})();
