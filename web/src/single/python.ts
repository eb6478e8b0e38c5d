// Python's words by kind: keywords, strings, numbers, comments and what is defined.

/** A piece of a line, and what it is; '' is all else. */
export type Piece = { text: string; kind: '' | 'keyword' | 'string' | 'number' | 'comment' | 'name' };

const KEYWORDS =
  'and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield';

/** A string that is never closed ends with its line, or with the program where it has three quotes. */
const TOKENS = new RegExp(
  [
    '(?<comment>#[^\\n]*)',
    '(?<string>[rbfuRBFU]{0,2}(?:"""(?:\\\\[^]|[^\\\\])*?(?:"""|$)|\'\'\'(?:\\\\[^]|[^\\\\])*?(?:\'\'\'|$)|"(?:\\\\[^]|[^"\\\\\\n])*"?|\'(?:\\\\[^]|[^\'\\\\\\n])*\'?))',
    '(?<name>(?<=\\b(?:def|class)[ \\t]+)[\\p{L}_][\\p{L}\\p{N}_]*)',
    `(?<keyword>(?<![.\\p{L}\\p{N}_])(?:${KEYWORDS})(?![\\p{L}\\p{N}_]))`,
    '(?<number>(?<![.\\p{L}\\p{N}_])(?:True|False|None)(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?:0[xXoObB][\\da-fA-F_]+|(?:\\d[\\d_]*\\.?[\\d_]*|\\.\\d[\\d_]*)(?:[eE][+-]?\\d+)?)[jJ]?)',
    '(?:[\\p{L}_][\\p{L}\\p{N}_]*)',
  ].join('|'),
  'gu',
);

/** The lines of a program, each in pieces. */
export function piecesOf(program: string): Piece[][] {
  const lines: Piece[][] = [[]];
  const add = (text: string, kind: Piece['kind']) => {
    for (const [i, part] of text.split('\n').entries()) {
      if (i > 0) lines.push([]);
      if (part) lines.at(-1)!.push({ text: part, kind });
    }
  };
  let end = 0;
  for (const found of program.matchAll(TOKENS)) {
    const kind = Object.entries(found.groups!).find(([, text]) => text !== undefined)?.[0] as Piece['kind'] | undefined;
    if (!kind) continue;
    add(program.slice(end, found.index), '');
    add(found[0], kind);
    end = found.index + found[0].length;
  }
  add(program.slice(end), '');
  return lines;
}
