(async () => {
  const app = document.getElementById('app');
  try {
    const packed = document.getElementById('page').textContent;
    const bytes = Uint8Array.from(atob(packed.trim()), (one) => one.charCodeAt(0));
    const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const [styles, code] = JSON.parse(await new Response(text).text());
    const style = document.createElement('style');
    style.nonce = document.querySelector('meta[property="csp-nonce"]').nonce;
    style.textContent = styles;
    document.head.append(style);
    const script = document.createElement('script');
    const policy = globalThis.trustedTypes?.createPolicy('backscope-page', { createScript: () => code });
    script.textContent = policy ? policy.createScript('') : code;
    document.body.append(script);
  } catch {
    app.textContent = 'This page needs a browser of 2023 or newer. The file may also be damaged: ask for it again.';
  }
})();
