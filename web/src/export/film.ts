// A film of a range of steps: the pictures of a reel, drawn anew, so that it is the same at every time.

import type { Run } from '../run/run.svelte';
import type { Scene } from '../scene/scene';
import type { Workbench } from '../workbench/workbench.svelte';
import type { View } from './picture';
import { type Range, Reel, type Shot } from './reel';
import { tokensOf } from './stage-picture';

/** Whether this browser has an encoder; it is kept from pages that came over a plain connection. */
export function canEncode(): boolean {
  return typeof VideoEncoder === 'function';
}

/** What films are drawn from and on. */
export class Film {
  readonly canvas = document.createElement('canvas');
  readonly #reel: Reel;

  constructor(
    bench: Workbench,
    run: Run,
    shown: { scene: Scene; seen: View },
    { theme, ...range }: Range & { theme: 'light' | 'dark' },
  ) {
    this.#reel = new Reel({ run, ops: bench.catalogue.ops, shown, tokens: tokensOf(theme) }, range);
    this.canvas.width = this.#reel.width;
    this.canvas.height = this.#reel.height;
  }

  get shots(): readonly Shot[] {
    return this.#reel.shots;
  }

  /** Draws a picture on the canvas. */
  draw(shot: Shot): CanvasRenderingContext2D {
    const ctx = this.canvas.getContext('2d', { willReadFrequently: true })!;
    this.#reel.draw(ctx, shot);
    return ctx;
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
