// Typesets formulas with KaTeX, which is loaded when the first formula is shown.

let loading: Promise<typeof import('katex').default> | null = null;

function load() {
  loading ??= Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(([module]) => module.default);
  loading.catch(() => {
    // The server is away; the next formula asks again.
    loading = null;
  });
  return loading;
}

/** HTML of a formula; rejects while KaTeX cannot be fetched; LaTeX that KaTeX does not know is shown as it is written. */
export async function typeset(latex: string): Promise<string> {
  const katex = await load();
  return katex.renderToString(latex, { throwOnError: false, trust: false, output: 'html', strict: 'ignore' });
}
