// The stage as a picture: a scene within a rectangle, its caption below it, drawn anew and not taken from the screen.

import { type Rect, union } from '../layout/rect';
import { ARRIVED, type Progress } from '../renderer/motion';
import { Pen } from '../renderer/pen';
import { drawParts } from '../renderer/scene-drawing';
import type { ThemeTokens } from '../renderer/tokens';
import { buildScene, type Scene } from '../scene/scene';

export type Extent = 'seen' | 'whole';
/** What is shown of the stage's plane, and how large. */
export type View = { rect: Rect; scale: number };
/** How wide a text of a caption is. */
export type Measure = (text: string) => number;
/** `height` is that of the caption's room, 0 for none; `wide` measures its text where there is no canvas to do it. */
export type Frame = {
  scene: Scene;
  view: View;
  caption: string;
  height: number;
  tokens: ThemeTokens;
  progress?: Progress;
  wide?: Measure | undefined;
};

/** What browsers draw on a canvas, in pixels. */
const MOST_SIDE = 8192;
const MOST_AREA = 64 * 1024 ** 2;
/** Room around a whole graph, in the plane of the stage. */
const MARGIN = 32;
const LINE = 22;
const PAD = 16;
/** The size of a caption's text. */
export const CAPTION_SIZE = 15;
const FONT = '15px "Inter Variable", Inter, system-ui, sans-serif';

/** All that is drawn of a scene, no larger than a picture may be when its pixels are `ratio` times as many. */
export function wholeView(drawn: Rect, ratio: number): View {
  const rect = {
    x: drawn.x - MARGIN,
    y: drawn.y - MARGIN,
    width: drawn.width + 2 * MARGIN,
    height: drawn.height + 2 * MARGIN,
  };
  const side = MOST_SIDE / ratio / Math.max(rect.width, rect.height);
  const area = Math.sqrt(MOST_AREA / ratio ** 2 / (rect.width * rect.height));
  return { rect, scale: Math.min(1, side, area) };
}

/** A scene with its notes where there is room for them, whatever is in view; null where nothing is drawn. */
export function wholePicture({ state, layout, options }: Scene): { scene: Scene; drawn: Rect } | null {
  const scene = buildScene(state, layout, { ...options, hover: null });
  const drawn = scene.drawn && drawnWithNotes(scene);
  return drawn && { scene, drawn };
}

/** All that is drawn of a scene, or placed where nothing is, with what is said beside it. */
export function drawnWithNotes(scene: Scene): Rect {
  return scene.notes.reduce((all, { rect }) => union(all, rect), scene.drawn ?? scene.bounds);
}

/** The size of a picture in CSS pixels. */
export function sizeOf({ view, height }: Frame): { width: number; height: number } {
  return {
    width: Math.round(view.rect.width * view.scale),
    height: Math.round(view.rect.height * view.scale) + height,
  };
}

const measuring = typeof document === 'undefined' ? null : document.createElement('canvas').getContext('2d');

/** A sentence in lines that fit; a word that is longer than a line is cut. */
export function lines(text: string, width: number, wide: Measure = textWidth): string[] {
  const room = width - 2 * PAD;
  const found: string[] = [];
  let line = '';
  for (let word of text.split(/\s+/)) {
    if (line !== '' && wide(`${line} ${word}`) > room) {
      found.push(line);
      line = '';
    }
    while (word.length > 1 && wide(word) > room) {
      let end = word.length - 1;
      while (end > 1 && wide(word.slice(0, end)) > room) end -= 1;
      found.push(word.slice(0, end));
      word = word.slice(end);
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? found : [...found, line];
}

function textWidth(text: string): number {
  if (!measuring) return text.length * 8;
  measuring.font = `400 ${FONT}`;
  return measuring.measureText(text).width;
}

/** The height that a caption takes at a width. */
export function captionHeight(text: string, width: number, wide?: Measure): number {
  const count = lines(text, width, wide).length;
  return count === 0 ? 0 : count * LINE + 2 * PAD;
}

/** Draws a picture on a canvas, or on what takes the same calls; `ratio` is how many pixels a CSS pixel has. */
export function drawFrame(ctx: CanvasRenderingContext2D, frame: Frame, ratio: number): void {
  const { scene, view, caption, tokens, progress = ARRIVED } = frame;
  const { rect, scale } = view;
  const { width, height } = sizeOf(frame);
  const ground = height - frame.height;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.globalAlpha = 1;
  ctx.fillStyle = tokens.paper;
  ctx.fillRect(0, 0, width, height);
  ctx.save();
  ctx.beginPath();
  ctx.roundRect(0, 0, width, ground, 0);
  ctx.clip();
  const factor = ratio * scale;
  ctx.setTransform(factor, 0, 0, factor, -rect.x * factor, -rect.y * factor);
  ctx.lineJoin = 'round';
  ctx.lineCap = 'butt';
  drawParts(new Pen(ctx, tokens, scale), scene, rect, progress);
  ctx.restore();
  if (frame.height === 0) return;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = tokens.hairline;
  ctx.fillRect(0, ground, width, 1);
  ctx.font = `400 ${FONT}`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = tokens.ink;
  for (const [i, line] of lines(caption, width, frame.wide).entries())
    ctx.fillText(line, PAD, ground + PAD + (i + 0.5) * LINE);
}
