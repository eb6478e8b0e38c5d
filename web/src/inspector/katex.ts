// Typesets formulas with KaTeX, which is loaded when the first formula is shown.

let loading: Promise<typeof import('katex').default> | null = null;

function load() {
  loading ??= Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(([module]) => module.default);
  return loading;
}

/** HTML of a formula; LaTeX that KaTeX does not know is shown as it is written. */
export async function typeset(latex: string): Promise<string> {
  const katex = await load();
  return katex.renderToString(latex, { throwOnError: false, trust: false, output: 'html', strict: 'ignore' });
}
