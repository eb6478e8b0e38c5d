// Draws a curve as a line of steps, with one column for each pixel.

import type { Column } from './curve';

export type CurvePicture = {
  columns: readonly Column[];
  least: number;
  most: number;
  cursor: number;
  width: number;
  height: number;
};
export type CurveInk = Record<'ink' | 'faint' | 'hairline' | 'error', string>;

const PAD = 3;

/** Draws onto a context that is scaled to CSS pixels and empty; `cursor` is where the reader is, in pixels. */
export function drawCurve(context: CanvasRenderingContext2D, picture: CurvePicture, ink: CurveInk): void {
  const { columns, least, most, width, height, cursor } = picture;
  const step = width / Math.max(1, columns.length);
  const span = most - least;
  const y = (value: number) => (span > 0 ? height - PAD - ((value - least) / span) * (height - 2 * PAD) : height / 2);
  if (least <= 0 && most >= 0 && span > 0) {
    context.fillStyle = ink.hairline;
    context.fillRect(0, Math.round(y(0)), width, 1);
  }
  context.strokeStyle = ink.ink;
  context.lineWidth = 1.5;
  context.lineJoin = 'round';
  context.beginPath();
  let last = Number.NaN;
  columns.forEach((column, index) => {
    const left = index * step;
    const right = left + step;
    if (!column || column.least > column.most) {
      last = Number.NaN;
      return;
    }
    if (Number.isNaN(last)) context.moveTo(left, y(column.least));
    else context.lineTo(left, y(last));
    if (column.most > column.least) {
      context.lineTo(left, y(column.least));
      context.lineTo(left, y(column.most));
    }
    last = column.last;
    context.lineTo(left, y(Number.isNaN(last) ? column.most : last));
    if (!Number.isNaN(last)) context.lineTo(right, y(last));
  });
  context.stroke();
  columns.forEach((column, index) => {
    if (column?.other === 'text') {
      context.fillStyle = ink.faint;
      context.fillRect(index * step, height / 2, Math.max(1, step), 1);
    } else if (column?.other === 'bad') {
      context.fillStyle = ink.error;
      context.fillRect(index * step, 0, Math.max(2, step), height);
    }
  });
  context.fillStyle = ink.ink;
  context.fillRect(Math.round(cursor) - 0.5, 0, 1, height);
}
