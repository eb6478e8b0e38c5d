// A canvas context that writes SVG: what the stage is drawn with, as vectors and texts.

const ALIGNED: Record<string, string> = { left: 'start', center: 'middle', right: 'end' };

/** What XML has no character for at all; shown as what it is: not a character. */
const UNSOUND = /[^\t\n\r\x20-\ufffd\u{10000}-\u{10ffff}]|[\ud800-\udfff]/gu;

function escaped(text: string): string {
  return text.replace(UNSOUND, '\ufffd').replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function n(value: number): string {
  return String(Math.round(value * 100) / 100);
}

type State = {
  alpha: number;
  clip: string | null;
  matrix: { a: number; e: number; f: number };
};

/** As much of CanvasRenderingContext2D as the renderer uses; `ctx` is it by that name. */
export class SvgPen {
  fillStyle = '#000';
  strokeStyle = '#000';
  lineWidth = 1;
  lineCap = 'butt';
  lineJoin = 'round';
  font = '12px monospace';
  textAlign = 'left';
  textBaseline = 'middle';
  globalAlpha = 1;
  readonly #parts: string[] = [];
  /** The clip of the group that the last parts are in. */
  #grouped: string | null = null;
  #path = '';
  #dash: number[] = [];
  #clip: string | null = null;
  #clips = 0;
  #matrix = { a: 1, e: 0, f: 0 };
  readonly #kept: State[] = [];

  /** It, as the renderer takes it. */
  get ctx(): CanvasRenderingContext2D {
    return this as unknown as CanvasRenderingContext2D;
  }

  setTransform(a: number, _b: number, _c: number, _d: number, e: number, f: number): void {
    this.#matrix = { a, e, f };
  }

  getTransform(): { a: number; e: number; f: number } {
    return this.#matrix;
  }

  save(): void {
    this.#kept.push({ alpha: this.globalAlpha, clip: this.#clip, matrix: this.#matrix });
  }

  restore(): void {
    const kept = this.#kept.pop();
    if (!kept) return;
    this.globalAlpha = kept.alpha;
    this.#clip = kept.clip;
    this.#matrix = kept.matrix;
  }

  beginPath(): void {
    this.#path = '';
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${this.#x(x)} ${this.#y(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `${this.#path === '' ? 'M' : 'L'}${this.#x(x)} ${this.#y(y)}`;
  }

  closePath(): void {
    this.#path += 'Z';
  }

  arc(x: number, y: number, radius: number, from: number, to: number, counter = false): void {
    const sweep = counter ? from - to : to - from;
    const r = n(radius * this.#matrix.a);
    const at = (angle: number) => `${this.#x(x + radius * Math.cos(angle))} ${this.#y(y + radius * Math.sin(angle))}`;
    const arc = (angle: number, large: boolean) => `A${r} ${r} 0 ${large ? 1 : 0} ${counter ? 0 : 1} ${at(angle)}`;
    this.#path += `${this.#path === '' ? 'M' : 'L'}${at(from)}`;
    if (sweep >= Math.PI * 2 - 1e-6) this.#path += `${arc(from + Math.PI, false)}${arc(from, false)}Z`;
    else this.#path += arc(to, sweep > Math.PI);
  }

  roundRect(x: number, y: number, width: number, height: number, radius: number | number[]): void {
    const given = Array.isArray(radius) ? radius : [radius];
    const most = Math.min(width, height) / 2;
    const r = [0, 1, 2, 3].map((i) => Math.max(0, Math.min(most, given[i] ?? given[i % 2] ?? given[0] ?? 0)));
    const corner = (i: number, px: number, py: number) => {
      const size = n(r[i]! * this.#matrix.a);
      return r[i] ? `A${size} ${size} 0 0 1 ${this.#x(px)} ${this.#y(py)}` : '';
    };
    const right = x + width;
    const bottom = y + height;
    this.#path +=
      `M${this.#x(x + r[0]!)} ${this.#y(y)}H${this.#x(right - r[1]!)}${corner(1, right, y + r[1]!)}` +
      `V${this.#y(bottom - r[2]!)}${corner(2, right - r[2]!, bottom)}H${this.#x(x + r[3]!)}${corner(3, x, bottom - r[3]!)}` +
      `V${this.#y(y + r[0]!)}${corner(0, x + r[0]!, y)}Z`;
  }

  clip(): void {
    this.#clips += 1;
    const outer = this.#clip ? ` clip-path="url(#${this.#clip})"` : '';
    this.#group(null);
    this.#clip = `clip${this.#clips}`;
    this.#parts.push(`<clipPath id="${this.#clip}"${outer}><path d="${this.#path}"/></clipPath>`);
  }

  fill(): void {
    if (this.#path) this.#add(`<path d="${this.#path}" fill="${escaped(this.fillStyle)}"`);
  }

  stroke(): void {
    if (!this.#path) return;
    const { a } = this.#matrix;
    const dash = this.#dash.length > 0 ? ` stroke-dasharray="${this.#dash.map((one) => n(one * a)).join(' ')}"` : '';
    const width = n(this.lineWidth * a);
    this.#add(
      `<path d="${this.#path}" fill="none" stroke="${escaped(this.strokeStyle)}" stroke-width="${width}"${dash}`,
    );
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const { a } = this.#matrix;
    const size = `width="${n(width * a)}" height="${n(height * a)}"`;
    this.#add(`<rect x="${this.#x(x)}" y="${this.#y(y)}" ${size} fill="${escaped(this.fillStyle)}"`);
  }

  setLineDash(dash: number[]): void {
    this.#dash = dash;
  }

  fillText(text: string, x: number, y: number): void {
    const found = /^(\d+) ([\d.]+)px (.*)$/.exec(this.font);
    if (!found) return;
    const [, weight, size, family] = found;
    // The middle of a line of text is a third of its size above where it is.
    const base = this.#y(y + Number(size) * 0.35);
    const style = `font-size="${n(Number(size) * this.#matrix.a)}" font-weight="${weight}" font-family="${escaped(family!)}"`;
    const anchor = ALIGNED[this.textAlign] ?? 'start';
    this.#add(
      `<text x="${this.#x(x)}" y="${base}" ${style} text-anchor="${anchor}" fill="${escaped(this.fillStyle)}"`,
      // Spaces that are together would become one.
      `>${escaped(text.replaceAll(/ (?= )/g, '\u00a0'))}</text>`,
    );
  }

  /** The drawing as a document; `styles` is what brings its fonts, `title` what it shows, for those who do not see it. */
  document(width: number, height: number, styles: string, title: string): string {
    this.#group(null);
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" ` +
      `viewBox="0 0 ${n(width)} ${n(height)}" role="img"><title>${escaped(title)}</title>` +
      `<style>${styles}</style><g stroke-linejoin="round">${this.#parts.join('\n')}</g></svg>\n`
    );
  }

  #x(x: number): string {
    return n(x * this.#matrix.a + this.#matrix.e);
  }

  #y(y: number): string {
    return n(y * this.#matrix.a + this.#matrix.f);
  }

  #add(open: string, rest = '/>'): void {
    const alpha = this.globalAlpha < 1 ? ` opacity="${n(this.globalAlpha)}"` : '';
    this.#group(this.#clip);
    this.#parts.push(`${open}${alpha}${rest}`);
  }

  /** Goes on within a clip: what follows one another in the same one is clipped at once, which is a hundred times faster. */
  #group(clip: string | null): void {
    if (clip === this.#grouped) return;
    if (this.#grouped) this.#parts.push('</g>');
    if (clip) this.#parts.push(`<g clip-path="url(#${clip})">`);
    this.#grouped = clip;
  }
}
