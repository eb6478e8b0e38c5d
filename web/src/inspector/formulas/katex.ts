// Typesets formulas with KaTeX, which is loaded when the first formula is shown.

import type { KatexOptions } from 'katex';
import { withStyles } from '../../widgets/missing-styles';

let loading: Promise<typeof import('katex').default> | null = null;

/** KaTeX with its styles. */
export function loadKatex() {
  loading ??= withStyles(() => Promise.all([import('katex'), import('katex/dist/katex.min.css')])).then(
    ([module]) => module.default,
  );
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
  const tree = (katex as unknown as Builder).__renderToDomTree(latex, {
    throwOnError: false,
    trust: false,
    output: 'html',
    strict: 'ignore',
  });
  unstyle(tree);
  made.append(tree.toNode());
  return [...made.childNodes];
}

type Part = { attributes?: Record<string, string>; children?: Part[] };
/** What KaTeX makes before there are elements; its types leave it out. */
type Builder = { __renderToDomTree(latex: string, options: KatexOptions): Part & { toNode(): Node } };

/** Takes away the widths that tall brackets are given as text, which the page's policy blocks: they fill what is around them. */
function unstyle(part: Part): void {
  if (part.attributes) delete part.attributes.style;
  for (const child of part.children ?? []) unstyle(child);
}
