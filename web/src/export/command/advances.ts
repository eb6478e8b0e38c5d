// The widths of texts, from the advances that a TrueType font gives its characters: kerning, at most a pixel a line, is left out.

/** How wide a text is at a size; characters that the font lacks are as wide as its first glyph. */
export function measureBy(font: Uint8Array, size: number): (text: string) => number {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
  const table = tablesOf(view);
  const scale = size / view.getUint16(table('head') + 18);
  const metrics = table('hmtx');
  const last = view.getUint16(table('hhea') + 34) - 1;
  const glyphs = glyphsOf(view, table('cmap'));
  const advance = (character: string): number => {
    const glyph = glyphs.get(character.codePointAt(0)!) ?? 0;
    return view.getUint16(metrics + 4 * Math.min(glyph, last));
  };
  return (text) => [...text].reduce((sum, character) => sum + advance(character), 0) * scale;
}

/** The characters that a font has. */
export function charactersOf(font: Uint8Array): ReadonlySet<number> {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
  return new Set(glyphsOf(view, tablesOf(view)('cmap')).keys());
}

/** Where each table begins. */
function tablesOf(view: DataView): (tag: string) => number {
  const found = new Map<string, number>();
  for (let i = 0; i < view.getUint16(4); i += 1) {
    const at = 12 + 16 * i;
    const tag = String.fromCharCode(...[0, 1, 2, 3].map((byte) => view.getUint8(at + byte)));
    found.set(tag, view.getUint32(at + 8));
  }
  return (tag) => {
    const at = found.get(tag);
    if (at === undefined) throw new RangeError(tag);
    return at;
  };
}

/** The glyph of each character, from the part of the table in format 4 or 12. */
function glyphsOf(view: DataView, cmap: number): Map<number, number> {
  const glyphs = new Map<number, number>();
  for (let i = 0; i < view.getUint16(cmap + 2); i += 1) {
    const at = cmap + view.getUint32(cmap + 8 + 8 * i);
    const format = view.getUint16(at);
    if (format === 12) readGroups(view, at, glyphs);
    else if (format === 4) readSegments(view, at, glyphs);
  }
  return glyphs;
}

function readGroups(view: DataView, at: number, glyphs: Map<number, number>): void {
  for (let i = 0; i < view.getUint32(at + 12); i += 1) {
    const group = at + 16 + 12 * i;
    const first = view.getUint32(group);
    for (let code = first; code <= view.getUint32(group + 4); code += 1)
      glyphs.set(code, view.getUint32(group + 8) + code - first);
  }
}

function readSegments(view: DataView, at: number, glyphs: Map<number, number>): void {
  const twice = view.getUint16(at + 6);
  for (let i = 0; i < twice; i += 2) {
    const end = view.getUint16(at + 14 + i);
    const start = view.getUint16(at + 16 + twice + i);
    const delta = view.getUint16(at + 16 + 2 * twice + i);
    const place = at + 16 + 3 * twice + i;
    const offset = view.getUint16(place);
    for (let code = start; code <= end && code < 0xffff; code += 1) {
      const glyph = offset === 0 ? code : view.getUint16(place + offset + 2 * (code - start));
      if (glyph !== 0) glyphs.set(code, (glyph + delta) & 0xffff);
    }
  }
}
