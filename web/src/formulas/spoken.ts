// Formulas as they are read aloud.

import * as say from '../messages/spoken';

const PLAIN: readonly [RegExp, string][] = [
  [/\\(?:phantom|vphantom)\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/g, ''],
  [
    /\\(?:begin|end)\{aligned\}|\\(?:quad|textstyle|scriptsize|left|right|qquad|displaystyle)(?![A-Za-z])|\\;|&(?= *[=\\+-])/g,
    ' ',
  ],
  [/\\(?:text|mathtt|operatorname|mathbf)\{((?:[^{}\\]|\\.)*)\}/g, '$1'],
  [/\[\d+pt\]/g, ''],
  [/\\nabla/g, '∇'],
  [/\\leftarrow/g, '←'],
  [/\\cdot/g, '×'],
  [/\\times 10\^\{(-?\d+)\}/g, 'e$1'],
  [/\\hat\{([a-z])\}/g, '$1-hat'],
  [/\\overline\{([^{}]*)\}/g, say.meanOf],
  [/_\{(max)\}/g, ' $1'],
  [/\\sum_(?:\{([^{}]*)\}|(\w)) */g, say.sumOver],
  [/\\sum(?![A-Za-z])/g, say.sumOfAll],
  [/\\tfrac12/g, '1/2'],
  [/(?<!\\)\\[, ]/g, ' '],
  [/\\sqrt(?!\{)/g, '√ '],
  [/\^T/g, ` ${say.transposed}`],
];
/** From the inside out. */
const NESTED: readonly [RegExp, string | ((whole: string, above: string, below: string) => string)][] = [
  [/\\sqrt\{([^{}]*)\}/g, '√($1)'],
  // A sum above the line is divided as a whole.
  [/\\t?frac\{([^{}]*)\}\{([^{}]*)\}/g, (_, above, below) => `${isSum(above) ? `(${above})` : above} / (${below})`],
  [/\^\{ *([^{}]*?) *\}/g, '^($1)'],
];
const MARKS: readonly [RegExp, string][] = [
  [/\(\(([^()]*)\)\)/g, '($1)'],
  [/\^\((\w+)\)/g, '^$1'],
  [/\\Delta/g, 'Δ'],
  [/\\partial(?![A-Za-z]) */g, '∂'],
  [/\\geq?(?![A-Za-z])/g, '≥'],
  [/\\leq?(?![A-Za-z])/g, '≤'],
  [/\\lnot/g, say.not],
  [/\\otimes/g, '⊗'],
  [/\\infty/g, '∞'],
  [/\\dots|\\vdots|\\ldots/g, '…'],
  [/\\\\/g, ';'],
  [/\)_\{([\d,]+)\}/g, '[$1])'],
  [/_\{([^{}]*)\}/g, '_$1'],
  [/\\(?:pm(?![A-Za-z]))/g, '±'],
  [/\\([_%$#&{}])/g, '$1'],
  [/\\([A-Za-z]+)/g, '$1'],
  [/ & /g, ', '],
  [/[;,]? *;|&/g, ' '],
  [/(?<=[([]) +| +(?=[)\]])/g, ''],
  [/\s+/g, ' '],
];

/** A formula as it is read aloud. */
export function spoken(latex: string): string {
  const rows = latex.replace(/\\begin\{bmatrix\} (.*?) \\end\{bmatrix\}/g, (_, cells: string) => {
    const read = cells.split(' \\\\ ').map((row) => row.replaceAll(' & ', ', '));
    return read.length > 1 ? `[[${read.join('], [')}]]` : `[${read[0]}]`;
  });
  let text = changed(rows, PLAIN);
  for (let before = ''; before !== text; ) {
    before = text;
    text = changed(text, NESTED);
  }
  return changed(text, MARKS).trim();
}

/** Returns whether a text adds or subtracts outside of brackets. */
function isSum(text: string): boolean {
  const bare = text.replace(/\([^()]*\)/g, '');
  return bare === text ? /\S [+-] /.test(text) : isSum(bare);
}

function changed(text: string, rules: typeof NESTED): string {
  return rules.reduce((so, [from, to]) => (typeof to === 'string' ? so.replace(from, to) : so.replace(from, to)), text);
}
