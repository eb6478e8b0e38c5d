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
    const { recording, height, grows, page: kind, title } = place.dataset;
    await Promise.all([load(`${kind}.js`), load(`${recording}.js`)]);
    const { about, trace } = window.backscopeRecordings[recording];
    backscopePlay(place, window.backscopePages[kind], { about, trace, title, height, grows });
  };
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      show(target).catch(() => target.setAttribute('data-lost', ''));
    }
  }, { rootMargin: '600px' });
  // Each place brings this script along: the first that runs takes all places that there are.
  const begin = () => {
    for (const place of document.querySelectorAll('[data-recording]:not([data-taken])')) {
      place.dataset.taken = '';
      near.observe(place);
    }
  };
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
  else begin();
})();
