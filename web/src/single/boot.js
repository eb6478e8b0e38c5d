(async () => {
  const app = document.getElementById('app');
  try {
    const packed = document.getElementById('page').textContent.trim();
    const bytes = new Uint8Array(Math.floor((packed.length * 4) / 5));
    // Of a last group that is not whole, the characters that are missing are the highest one.
    for (let at = 0, to = 0; at < packed.length; at += 5) {
      let value = 0;
      for (const one of packed
        .slice(at, at + 5)
        .replaceAll('}', '<')
        .padEnd(5, '|'))
        value = value * 85 + one.charCodeAt(0) - 40;
      for (let shift = 24; shift >= 0; shift -= 8) bytes[to++] = value >>> shift;
    }
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
