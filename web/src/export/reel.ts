// A reel: the pictures of a range of steps that playing shows, each with its time, whatever they are drawn on.

import { stepSum } from '../formulas/step-sum';
import { type Rect, union } from '../layout/rect';
import { ARRIVED, Motion, type Progress } from '../renderer/motion';
import type { ThemeTokens } from '../renderer/tokens';
import type { OpEntry } from '../run/api';
import { gestureWithin, type Speed, stepDuration } from '../run/speed';
import { buildScene, type Scene } from '../scene/scene';
import {
  captionHeight,
  drawFrame,
  drawnWithNotes,
  type Extent,
  type Frame,
  type Measure,
  sizeOf,
  type View,
  wholeView,
} from './picture';
import { captionAt, type Recorded } from './stage-picture';

export const MOST_STEPS = 300;
const FRAME_MS = 50;
/** The last picture is shown for a while before an animation begins again. */
const LAST_MS = 1500;

/** `from` and `to` are cursors, `width` is in pixels. */
export type Range = {
  from: number;
  to: number;
  speed: Speed;
  width: number;
  extent: Extent;
};
export type Shot = { cursor: number; progress: Progress; durationMs: number };

/** The pictures of some steps: the effects of each, as it is played, then what it left. */
export function shotsOf(
  run: Pick<Recorded, 'timeline'>,
  { from, to, speed }: Pick<Range, 'from' | 'to' | 'speed'>,
  effectsOf: (cursor: number) => Scene['effects'],
  captionOf: (cursor: number) => string,
): Shot[] {
  const shots: Shot[] = [];
  for (let cursor = from; cursor <= to; cursor += 1) {
    const whole = stepDuration(speed, run.timeline.moments[cursor]?.phase ?? 'forward', () => captionOf(cursor));
    const moving = gestureWithin(whole);
    let spent = 0;
    if (cursor > from && Motion.fits(moving)) {
      const motion = new Motion(effectsOf(cursor), 0, moving);
      for (; spent < moving; spent += FRAME_MS) {
        shots.push({ cursor, progress: motion.at(spent), durationMs: Math.min(FRAME_MS, moving - spent) });
      }
      spent = moving;
    }
    shots.push({ cursor, progress: ARRIVED, durationMs: (cursor === to ? Math.max(LAST_MS, whole) : whole) - spent });
  }
  return shots;
}

/** What the pictures of a reel are made of: the run, its graph as it is laid out, and how it is drawn. */
export type Footage = {
  run: Recorded;
  ops: readonly OpEntry[];
  shown: { scene: Scene; seen: View | null };
  tokens: ThemeTokens;
  wide?: Measure;
};

/** The pictures of a range, of one size, on any canvas. */
export class Reel {
  readonly shots: readonly Shot[];
  /** The size of each picture, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly #view: View;
  readonly #ratio: number;
  readonly #room: number;
  readonly #captions = new Map<number, string>();
  #scene: { cursor: number; scene: Scene } | null = null;

  constructor(
    readonly footage: Footage,
    readonly range: Range,
  ) {
    const { run, ops, shown, wide } = footage;
    const seen = range.extent === 'seen' ? shown.seen : null;
    this.#view = seen ?? wholeView(this.#reach(), 1);
    const across = Math.round(this.#view.rect.width * this.#view.scale);
    for (let cursor = range.from; cursor <= range.to; cursor += 1)
      this.#captions.set(cursor, captionAt(run, ops, cursor));
    // The room of the longest sentence, so that nothing moves.
    this.#room = Math.max(...[...this.#captions.values()].map((text) => captionHeight(text, across, wide)));
    const size = sizeOf(this.#frame(range.to, ARRIVED));
    this.#ratio = range.width / size.width;
    // Encoders of films want even numbers.
    this.width = 2 * Math.round(range.width / 2);
    this.height = 2 * Math.round((size.height * this.#ratio) / 2);
    this.shots = shotsOf(
      run,
      range,
      (cursor) => this.#sceneAt(cursor).effects,
      (cursor) => this.#captions.get(cursor) ?? '',
    );
  }

  /** Draws a picture. */
  draw(ctx: CanvasRenderingContext2D, { cursor, progress }: Shot): void {
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = this.footage.tokens.paper;
    ctx.fillRect(0, 0, this.width, this.height);
    drawFrame(ctx, this.#frame(cursor, progress), this.#ratio);
  }

  /** What the last picture shows, with the notes on all of them. */
  #reach(): Rect {
    const { from, to } = this.range;
    let reach = drawnWithNotes(this.#sceneAt(to));
    for (let cursor = from; cursor < to; cursor += 1)
      for (const { rect } of this.#sceneAt(cursor).notes) reach = union(reach, rect);
    return reach;
  }

  #frame(cursor: number, progress: Progress): Frame {
    const caption = this.#captions.get(cursor) ?? '';
    const { tokens, wide } = this.footage;
    return { scene: this.#sceneAt(cursor), view: this.#view, caption, height: this.#room, tokens, progress, wide };
  }

  #sceneAt(cursor: number): Scene {
    if (this.#scene?.cursor === cursor) return this.#scene.scene;
    const { run, ops, shown } = this.footage;
    const { layout, options } = shown.scene;
    const state = run.timeline.stateAt(cursor);
    const scene = buildScene(state, layout, { ...options, sum: stepSum(state, ops), hover: null });
    this.#scene = { cursor, scene };
    return scene;
  }
}
