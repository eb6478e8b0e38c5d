// A film of a range of steps: the pictures that playing shows, drawn anew, so that it is the same at every time.

import { stepSum } from '../formulas/step-sum';
import { ARRIVED, Motion, type Progress } from '../renderer/motion';
import type { Run } from '../run/run.svelte';
import { gestureWithin, type Speed, stepDuration } from '../run/speed';
import { buildScene, type Scene } from '../scene/scene';
import type { Workbench } from '../workbench/workbench.svelte';
import { captionHeight, drawFrame, type Extent, type Frame, sizeOf, type View, wholeView } from './picture';
import { captionAt, tokensOf } from './stage-picture';

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
  theme: 'light' | 'dark';
};
type Shot = { cursor: number; progress: Progress; durationMs: number };

/** The pictures of some steps: the effects of each, as it is played, then what it left. */
export function shotsOf(
  run: Run,
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

/** Whether this browser has an encoder; it is kept from pages that came over a plain connection. */
export function canEncode(): boolean {
  return typeof VideoEncoder === 'function';
}

/** What films are drawn from and on. */
export class Film {
  readonly canvas = document.createElement('canvas');
  readonly shots: readonly Shot[];
  readonly #view: View;
  readonly #ratio: number;
  readonly #height: number;
  readonly #captions = new Map<number, string>();
  #scene: { cursor: number; scene: Scene } | null = null;
  readonly #tokens;

  constructor(
    readonly bench: Workbench,
    readonly run: Run,
    readonly shown: { scene: Scene; seen: View },
    readonly range: Range,
  ) {
    const last = this.#sceneAt(range.to);
    this.#view = range.extent === 'seen' ? shown.seen : wholeView(last.drawn ?? last.bounds, 1);
    const wide = Math.round(this.#view.rect.width * this.#view.scale);
    for (let cursor = range.from; cursor <= range.to; cursor += 1)
      this.#captions.set(cursor, captionAt(bench, run, cursor));
    // The room of the longest sentence, so that nothing moves.
    this.#height = Math.max(...[...this.#captions.values()].map((text) => captionHeight(text, wide)));
    this.#tokens = tokensOf(range.theme);
    const size = sizeOf(this.#frame(range.to, ARRIVED));
    this.#ratio = range.width / size.width;
    // Encoders of films want even numbers.
    this.canvas.width = 2 * Math.round(range.width / 2);
    this.canvas.height = 2 * Math.round((size.height * this.#ratio) / 2);
    this.shots = shotsOf(
      run,
      range,
      (cursor) => this.#sceneAt(cursor).effects,
      (cursor) => this.#captions.get(cursor) ?? '',
    );
  }

  /** Draws a picture on the canvas. */
  draw({ cursor, progress }: Shot): CanvasRenderingContext2D {
    const ctx = this.canvas.getContext('2d', { willReadFrequently: true })!;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = this.#tokens.paper;
    ctx.fillRect(0, 0, this.canvas.width, this.canvas.height);
    drawFrame(ctx, this.#frame(cursor, progress), this.#ratio);
    return ctx;
  }

  #frame(cursor: number, progress: Progress): Frame {
    const caption = this.#captions.get(cursor) ?? '';
    const tokens = this.#tokens;
    return { scene: this.#sceneAt(cursor), view: this.#view, caption, height: this.#height, tokens, progress };
  }

  #sceneAt(cursor: number): Scene {
    if (this.#scene?.cursor === cursor) return this.#scene.scene;
    const { layout, options } = this.shown.scene;
    const state = this.run.timeline.stateAt(cursor);
    const scene = buildScene(state, layout, { ...options, sum: stepSum(state, this.bench.catalogue.ops), hover: null });
    this.#scene = { cursor, scene };
    return scene;
  }
}

/** Makes a file of a film; `report` gets the share that is done. */
export async function develop(
  film: Film,
  kind: 'gif' | 'webm',
  signal: AbortSignal,
  report: (share: number) => void,
): Promise<Blob> {
  const writer = kind === 'gif' ? await gifOf(film) : await webmOf(film);
  try {
    for (const [i, shot] of film.shots.entries()) {
      signal.throwIfAborted();
      await writer.add(shot);
      report((i + 1) / film.shots.length);
      // The page goes on meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return await writer.end();
  } catch (error) {
    await writer.cancel?.();
    throw error;
  }
}

type Writer = { add(shot: Shot): Promise<void>; end(): Promise<Blob>; cancel?(): Promise<void> };

async function gifOf(film: Film): Promise<Writer> {
  const { canvas, shots } = film;
  const read = (shot: Shot) => film.draw(shot).getImageData(0, 0, canvas.width, canvas.height).data;
  const { GifWriter, paletteOf } = await import('./gif');
  const samples = [0, 0.25, 0.5, 0.75, 1].map((share) => read(shots[Math.floor(share * (shots.length - 1))]!));
  const gif = new GifWriter(canvas.width, canvas.height, paletteOf(samples));
  return { add: async (shot) => gif.add(read(shot), shot.durationMs), end: async () => gif.end() };
}

async function webmOf(film: Film): Promise<Writer> {
  const { WebmWriter } = await import('./webm');
  const webm = new WebmWriter(film.canvas);
  return {
    add: (shot) => {
      film.draw(shot);
      return webm.add(shot.durationMs);
    },
    end: () => webm.end(),
    cancel: () => webm.cancel(),
  };
}
