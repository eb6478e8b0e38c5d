// Formulas as one line of text with the signs of mathematics, for where nothing is typeset: the stage and the caption.

import { number } from '../format/number';
import { spoken } from './spoken';

const BRACED = '\\{(?:[^{}]|\\{(?:[^{}]|\\{[^{}]*\\})*\\})*\\}';
/** A fraction with a factor after it that no sign parts from it. */
const FRACTION = new RegExp(
  `(\\\\t?frac${BRACED}${BRACED})(?:\\\\[,;]|\\s)*(?=[A-Za-z\\d(\ue000-\uf8ff]|\\\\(?!cdot|times|geq?(?![a-z])|leq?(?![a-z])|neq?(?![a-z])|big\\)|right|[ ,;]))`,
  'g',
);

const SIGNS: readonly [RegExp, string][] = [
  [FRACTION, '($1) \\cdot '],
  [/_\{([^{}]*[+-][^{}]*)\}/g, '_($1)'],
  [/\\mathbf\{1\}/g, '1'],
  [/\\(?:textstyle|displaystyle)(?![A-Za-z])\s*/g, ''],
  [/\\sum(?![A-Za-z])/g, 'Σ'],
  [/Σ_\{([^{}]*)\}/g, 'Σ($1)'],
  [/\^T/g, 'ᵀ'],
  [/\^H/g, 'ᴴ'],
  [/\^\{?\+H\}?/g, '⁺ᴴ'],
  [/\\(?:lVert|rVert)(?![A-Za-z])/g, '‖'],
  [/\\overline\{((?:[^{}]|\{[^{}]*\})*)\}/g, 'mean($1)'],
  [/\\operatorname\{conj\} /g, 'conj '],
  [/\\text\{(True|False)\}/g, '$1'],
  [/\\sqrt\\pi(?![A-Za-z])/g, '√π'],
  [/\\tfrac12/g, '½'],
  [/\\hat\{(\w)\}/g, '$1\u0302'],
  [/\\(?:lfloor)(?![A-Za-z])/g, '⌊'],
  [/\\(?:rfloor)(?![A-Za-z])/g, '⌋'],
  [/\\(?:big|Big|left|right)(?![A-Za-z])/g, ''],
  [/\\(?:ldots|cdots|dots)(?![A-Za-z])/g, '…'],
  [/\\,|\\ |\\;/g, ' '],
];
const LETTERS: Readonly<Record<string, string>> = {
  alpha: 'α',
  beta: 'β',
  sigma: 'σ',
  lambda: 'λ',
  pi: 'π',
  psi: 'ψ',
  zeta: 'ζ',
  Phi: 'Φ',
  varphi: 'φ',
  Gamma: 'Γ',
  partial: '∂',
  ell: 'ℓ',
  star: '⋆',
  otimes: '⊗',
  lnot: 'not ',
  ne: '≠',
  neq: '≠',
  times: '×',
  cdot: '×',
};
/** Whether something holds for an element needs no brackets to be a number. */
export const TRUTHS = /\[(\[(?:True|False)(?:, (?:True|False))*\]|(?:not )?(?:True|False))\]/g;
const TIDY: readonly [RegExp, string][] = [
  [/ ?\/ ?\(([^\s()-][^\s()]*)\)/g, ' / $1'],
  [/\(√\(([^()]*)\)\)/g, '√($1)'],
  [/\^\((\S)\)/g, '^$1'],
  [/\^2(?!\d)/g, '²'],
  [/\^3(?!\d)/g, '³'],
  [/-/g, '−'],
  // The number of a program's text: 3.0 is 3, and what is raised to 2 − 1 is as it is.
  [/(\d)\.0(?!\d)/g, '$1'],
  [/\^\(2−1\)/g, ''],
  [/\^\(3−1\)/g, '²'],
  [/\^\(4−1\)/g, '³'],
  // A number alone needs no brackets, nor does a first factor or one without a sign.
  [/(^|[[=<>≤≥≠] ?)\((−?[\d.e−]+)\)(?=$| [×/=<>≤≥≠]|\])/g, '$1$2'],
  [/\(\((−[\d.e−]+)\)(?= [−+×])/g, '($1'],
  [/\^\((\d[\d.]*)\)/g, '^$1'],
  [/\(∂ ?([^\s()]+)\)/g, '∂$1'],
  [/Σ Σ/g, 'Σ'],
  [/(^|[ [(])\((\d[\d.e−]*)\)(?![²³^])/g, '$1$2'],
  [TRUTHS, '$1'],
  [/\s+/g, ' '],
  [/([([¬]) /g, '$1'],
  [/ ([)\],])/g, '$1'],
];

/** A number with more digits than are shown. */
const LONG = /\d*\.\d{5,}(?:e[+-]?\d+)?/g;

/** A formula as a line of text. */
export function lineText(latex: string): string {
  let text = latex;
  for (const [from, to] of SIGNS) text = text.replace(from, to);
  text = text.replace(/\\times 10\^\{(-?\d+)\}/g, 'e$1');
  text = text.replace(/\\([A-Za-z]+)(?![A-Za-z{])/g, (whole, name: string) =>
    Object.hasOwn(LETTERS, name) ? LETTERS[name]! : whole,
  );
  text = spoken(text).replace(LONG, (digits) => number(Number(digits)).replaceAll('−', '-'));
  for (const [from, to] of TIDY) text = text.replace(from, to);
  return text.trim();
}
