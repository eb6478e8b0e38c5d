// Scores how well a text fits what was typed: its letters in order, better at the beginnings of words and side by side.

const WORD_START = /[\s_.\-:/(]/;

/** Higher is better; null where a letter is missing. */
export function match(query: string, text: string): number | null {
  const wanted = query.toLowerCase().replace(/\s+/g, '');
  if (wanted === '') return 0;
  const lower = text.toLowerCase();
  const whole = lower.indexOf(query.toLowerCase().trim());
  if (whole >= 0) return 1000 - whole - text.length / 100 + (startsWord(text, whole) ? 500 : 0);
  let score = 0;
  let at = -1;
  for (const letter of wanted) {
    const next = after(lower, text, letter, at);
    if (next < 0) return null;
    score += next === at + 1 ? 8 : startsWord(text, next) ? 6 : -Math.min(6, next - at);
    at = next;
  }
  return score - text.length / 100;
}

/** Where a letter comes next: beside the last one, else at the beginning of a word, else anywhere. */
function after(lower: string, text: string, letter: string, at: number): number {
  if (lower[at + 1] === letter) return at + 1;
  const first = lower.indexOf(letter, at + 1);
  for (let next = first; next >= 0; next = lower.indexOf(letter, next + 1)) if (startsWord(text, next)) return next;
  return first;
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || WORD_START.test(text[at - 1]!);
}
