// Draws the marks of the timeline's track: errors, breakpoints, notes and what else has a sign of its own at its moment.

import { cursorX } from '../timeline/span';
import type { Mark } from './bands';
import { BAND_Y, EDGE, type TrackInk, type TrackPicture } from './track-picture';

/** Draws the marks onto a context that is scaled to CSS pixels. */
export function drawMarks(context: CanvasRenderingContext2D, picture: TrackPicture, ink: TrackInk): void {
  const { marks, span, width } = picture;
  const taken: Partial<Record<Mark['kind'], number>> = {};
  for (const mark of marks) {
    const x = Math.round(cursorX(mark.index, span, width)) - 0.5;
    if (x < -EDGE || x > width + EDGE || x - (taken[mark.kind] ?? -99) < 3) continue;
    taken[mark.kind] = x;
    context.lineWidth = 1.5;
    context.strokeStyle = {
      output: ink.muted,
      warning: ink.ink,
      error: ink.error,
      caught: ink.muted,
      backward: ink.gradient,
      optimizer: ink.ink,
      nan: ink.error,
      note: ink.ink,
      written: ink.ink,
      stop: ink.ink,
      breakpoint: ink.ink,
    }[mark.kind];
    context.beginPath();
    if (mark.kind === 'error') {
      context.lineWidth = 2;
      cross(context, x, BAND_Y, 4);
    } else if (mark.kind === 'caught') {
      cross(context, x, BAND_Y, 3);
    } else if (mark.kind === 'backward') {
      context.moveTo(x, BAND_Y - 7);
      context.lineTo(x, BAND_Y + 7);
    } else if (mark.kind === 'optimizer') {
      diamond(context, x, BAND_Y, 4.5);
      context.fillStyle = ink.paper;
      context.fill();
    } else if (mark.kind === 'nan') {
      hatch(context, x, BAND_Y, 5);
    } else if (mark.kind === 'note') {
      eye(context, x, BAND_Y + 10);
      context.fillStyle = ink.paper;
      context.fill();
      context.stroke();
      context.beginPath();
      context.arc(x, BAND_Y + 10, 1, 0, 2 * Math.PI);
    } else if (mark.kind === 'stop' || mark.kind === 'breakpoint') {
      context.arc(x, BAND_Y + 10, 3, 0, 2 * Math.PI);
      context.fillStyle = mark.kind === 'stop' ? ink.ink : ink.paper;
      context.fill();
    } else if (mark.kind === 'written') {
      pennant(context, x, BAND_Y + 4);
      context.fillStyle = ink.ink;
      context.fill();
    } else if (mark.kind === 'warning') {
      triangle(context, x, BAND_Y + 9);
    } else {
      context.moveTo(x, BAND_Y + 6);
      context.lineTo(x, BAND_Y + 11);
    }
    context.stroke();
  }
}

function cross(context: CanvasRenderingContext2D, x: number, y: number, arm: number): void {
  context.moveTo(x - arm, y - arm);
  context.lineTo(x + arm, y + arm);
  context.moveTo(x - arm, y + arm);
  context.lineTo(x + arm, y - arm);
}

/** The second sign of what is broken: crossed lines, in a box of their own. */
function hatch(context: CanvasRenderingContext2D, x: number, y: number, arm: number): void {
  context.rect(x - arm, y - arm, 2 * arm, 2 * arm);
  cross(context, x, y, arm);
}

/** The outline of the eye that notes have beside their sentences. */
function eye(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.moveTo(x - 6, y);
  context.quadraticCurveTo(x, y - 7, x + 6, y);
  context.quadraticCurveTo(x, y + 7, x - 6, y);
  context.closePath();
}

/** The flag of a note that the reader wrote. */
function pennant(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.moveTo(x, y + 12);
  context.lineTo(x, y);
  context.lineTo(x + 8, y + 3);
  context.lineTo(x, y + 6);
}

function diamond(context: CanvasRenderingContext2D, x: number, y: number, arm: number): void {
  context.moveTo(x, y - arm);
  context.lineTo(x + arm, y);
  context.lineTo(x, y + arm);
  context.lineTo(x - arm, y);
  context.closePath();
}

function triangle(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.moveTo(x, y - 3);
  context.lineTo(x + 3.5, y + 3);
  context.lineTo(x - 3.5, y + 3);
  context.closePath();
}
