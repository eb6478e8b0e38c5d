// Typesets formulas with KaTeX, which is loaded when the first formula is shown.

let loading: Promise<typeof import('katex').default> | null = null;

/** KaTeX with its styles. */
export function loadKatex() {
  loading ??= Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(([module]) => module.default);
  loading.catch(() => {
    // The server is away; the next formula asks again.
    loading = null;
  });
  return loading;
}

/** A formula as elements, so that no text is ever taken for markup; rejects while KaTeX cannot be fetched. */
export async function typeset(latex: string): Promise<Node[]> {
  const katex = await loadKatex();
  const made = document.createElement('span');
  // LaTeX that KaTeX does not know is shown as it is written.
  katex.render(latex, made, { throwOnError: false, trust: false, output: 'html', strict: 'ignore' });
  return [...made.childNodes];
}
