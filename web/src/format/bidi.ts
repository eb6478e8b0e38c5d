// Isolates the program's text within a sentence of the page, so that its direction does not turn the words around it.

const FIRST_STRONG = '\u2068';
const POP = '\u2069';
/** Signs that embed, override and isolate directions. */
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;
const FOREIGN = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/;

/** A text that keeps its direction to itself; one that has no direction of its own stays as it is. */
export function isolated(text: string): string {
  return FOREIGN.test(text) ? `${FIRST_STRONG}${text.replace(CONTROLS, '')}${POP}` : text;
}

/** A sentence in pieces, each of which is the page's own or isolated. */
export function pieces(sentence: string): { text: string; own: boolean }[] {
  return sentence.split(/(\u2068[^\u2069]*\u2069)/).flatMap((text) => {
    const own = !text.startsWith(FIRST_STRONG);
    return text === '' ? [] : [{ text: own ? text : text.slice(1, -1), own }];
  });
}
