// The pen: a 2D context together with the theme, the scale and the few shapes that everything is drawn with.

import { cut, SMALL } from '../layout/size';
import type { ThemeTokens } from './tokens';

export type Align = 'left' | 'center' | 'right';
/** A line of small text on the screen, around a place of the stage. */
export type Mark = { text: string; x: number; y: number; colour: string; weight: number };

/** From this scale on texts are drawn, and from the second on pills and cards show their shapes. */
const TEXT_SCALE = 0.42;
const SHAPE_SCALE = 0.16;
/** From this scale on what is too small for its texts has at least its name, as high as itself at most. */
const NAME_SCALE = 0.22;
const MOST_NAME = 38;
/** A name that is cut shorter than this says nothing. */
const LEAST_CHARS = 6;

/** Whether texts are drawn at a scale. */
export function showsText(scale: number): boolean {
  return scale >= TEXT_SCALE;
}

export class Pen {
  /** How the plane of the stage lies on the canvas. */
  #world: DOMMatrix | null = null;

  constructor(
    readonly ctx: CanvasRenderingContext2D,
    readonly tokens: ThemeTokens,
    readonly scale: number,
  ) {}

  /** A pen for another canvas, on which the plane lies as it does on this one. */
  on(canvas: HTMLCanvasElement): Pen {
    const ctx = canvas.getContext('2d')!;
    ctx.setTransform(this.ctx.getTransform());
    ctx.lineJoin = this.ctx.lineJoin;
    ctx.lineCap = this.ctx.lineCap;
    return new Pen(ctx, this.tokens, this.scale);
  }

  /** Lays a canvas of the same size over this one. */
  lay(canvas: HTMLCanvasElement): void {
    const { ctx } = this;
    ctx.save();
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.drawImage(canvas, 0, 0);
    ctx.restore();
  }

  get showsText(): boolean {
    return showsText(this.scale);
  }

  get showsShapes(): boolean {
    return this.scale >= SHAPE_SCALE;
  }

  /** Whether what is too small for its texts has its name. */
  get showsNames(): boolean {
    return !this.showsText && this.scale >= NAME_SCALE;
  }

  /** The height of a line of small text that is as large on the screen at every scale. */
  get lineHeight(): number {
    return 16 / this.scale;
  }

  /** A line of text around a middle height. */
  text(text: string, x: number, y: number, colour: string, size: number, align: Align = 'left', weight = 400): void {
    if (!this.showsText || text === '') return;
    const { ctx } = this;
    ctx.font = `${weight} ${size}px ${this.tokens.mono}`;
    ctx.textAlign = align;
    ctx.textBaseline = 'middle';
    ctx.fillStyle = colour;
    ctx.fillText(text, x, y + 0.5);
  }

  /** A line of text with a ground that interrupts what runs below it. */
  label(text: string, x: number, y: number, colour: string, size: number, align: Align, weight = 400): void {
    if (!this.showsText || text === '') return;
    const wide = [...text].length * size * 0.6;
    const left = align === 'left' ? x : align === 'right' ? x - wide : x - wide / 2;
    this.ctx.fillStyle = this.tokens.paper;
    this.ctx.fillRect(left - 3, y - size * 0.65, wide + 6, size * 1.3);
    this.text(text, x, y, colour, size, align, weight);
  }

  /** A line of small text that is as large on the screen at every scale. */
  mark(text: string, x: number, y: number, colour: string, align: Align, weight = 500): void {
    this.marks([{ text, x, y, colour, weight }], align);
  }

  /** Lines of such text; one after the other they would each take the context to the screen and back. */
  marks(all: readonly Mark[], align: Align): void {
    if (all.length === 0) return;
    const { ctx, scale } = this;
    this.#world ??= ctx.getTransform();
    const { a, e, f } = this.#world;
    const ratio = a / scale;
    ctx.setTransform(ratio, 0, 0, ratio, e, f);
    ctx.textAlign = align;
    ctx.textBaseline = 'middle';
    for (const weight of new Set(all.map((one) => one.weight))) {
      ctx.font = `${weight} ${SMALL}px ${this.tokens.mono}`;
      for (const mark of all) {
        if (mark.weight !== weight) continue;
        ctx.fillStyle = mark.colour;
        ctx.fillText(mark.text, mark.x * scale, mark.y * scale + 0.5);
      }
    }
    ctx.setTransform(a, 0, 0, a, e, f);
  }

  /** A name alone in a width, where texts are too small to be read: the first that fits, else what fits of the last. */
  name(texts: readonly string[], x: number, y: number, wide: number, colour: string): void {
    if (!this.showsNames) return;
    const size = Math.min(SMALL / this.scale, MOST_NAME);
    const chars = Math.floor(wide / (size * 0.6));
    const whole = texts.find((text) => [...text].length <= chars);
    if (whole === undefined && chars < LEAST_CHARS) return;
    const { ctx } = this;
    ctx.font = `600 ${size}px ${this.tokens.mono}`;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.fillStyle = colour;
    ctx.fillText(whole ?? cut(texts.at(-1)!, chars), x, y + 0.5);
  }

  box(x: number, y: number, width: number, height: number, radius: number | number[]): void {
    this.ctx.beginPath();
    this.ctx.roundRect(x, y, width, height, radius);
  }

  fill(colour: string): void {
    this.ctx.fillStyle = colour;
    this.ctx.fill();
  }

  stroke(colour: string, width: number, dash: number[] = []): void {
    const { ctx } = this;
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.setLineDash(dash);
    ctx.stroke();
    if (dash.length > 0) ctx.setLineDash([]);
  }

  /** A path through points x, y, between two shares of its points' lengths. */
  line(points: Float32Array, from = 0, to = 1): void {
    const { ctx } = this;
    ctx.beginPath();
    if (from <= 0 && to >= 1) {
      ctx.moveTo(points[0]!, points[1]!);
      for (let i = 2; i < points.length; i += 2) ctx.lineTo(points[i]!, points[i + 1]!);
      return;
    }
    let total = 0;
    for (let i = 2; i < points.length; i += 2) total += step(points, i);
    let run = 0;
    let begun = false;
    for (let i = 2; i < points.length; i += 2) {
      const size = step(points, i);
      const a = Math.max(0, (from * total - run) / (size || 1));
      const b = Math.min(1, (to * total - run) / (size || 1));
      run += size;
      if (a > 1 || b < 0) continue;
      const x0 = points[i - 2]!;
      const y0 = points[i - 1]!;
      const dx = points[i]! - x0;
      const dy = points[i + 1]! - y0;
      if (!begun) ctx.moveTo(x0 + dx * a, y0 + dy * a);
      begun = true;
      ctx.lineTo(x0 + dx * b, y0 + dy * b);
    }
  }

  /** An arrowhead with its tip at a point. */
  arrow(x: number, y: number, dx: number, dy: number, colour: string, size = 6): void {
    const { ctx } = this;
    const length = Math.hypot(dx, dy) || 1;
    const ux = dx / length;
    const uy = dy / length;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x - ux * size - uy * size * 0.55, y - uy * size + ux * size * 0.55);
    ctx.lineTo(x - ux * size + uy * size * 0.55, y - uy * size - ux * size * 0.55);
    ctx.closePath();
    this.fill(colour);
  }

  /** Crossed lines over the current path: the second sign of an error. */
  hatch(x: number, y: number, width: number, height: number, colour: string): void {
    const { ctx } = this;
    ctx.save();
    ctx.clip();
    ctx.beginPath();
    for (let offset = -height; offset < width + height; offset += 7) {
      ctx.moveTo(x + offset, y);
      ctx.lineTo(x + offset + height, y + height);
      ctx.moveTo(x + offset, y + height);
      ctx.lineTo(x + offset + height, y);
    }
    ctx.globalAlpha *= 0.35;
    this.stroke(colour, 1);
    ctx.restore();
  }
}

function step(points: Float32Array, i: number): number {
  return Math.hypot(points[i]! - points[i - 2]!, points[i + 1]! - points[i - 1]!);
}
