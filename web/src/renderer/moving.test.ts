// Protects: a frame of a transition shows what drawing the whole of it would show, though what does not move was drawn once.

import { afterEach, expect, it, vi } from 'vitest';
import { goldens } from '../protocol/goldens';
import { buildScene, type Scene } from '../scene/scene';
import { opened, walk } from '../scene/walks';
import { Layers, Moving } from './moving';
import type { View } from './patch';
import { Pen } from './pen';
import { drawParts, repaint } from './scene-drawing';
import type { ThemeTokens } from './tokens';

const PROGRESS = { wake: 1, take: 1, appear: 0.7, travel: 0.4, land: 0.2, empty: 0.1 };
const TOKENS = new Proxy({ groups: ['a', 'b', 'c'] } as ThemeTokens, {
  get: (target, name) => Reflect.get(target, name) ?? String(name),
});
/** What ends up on the canvas, and what it depends on. */
const DRAWING: Record<string, readonly string[]> = {
  fill: ['fillStyle', 'globalAlpha'],
  fillRect: ['fillStyle', 'globalAlpha'],
  fillText: ['fillStyle', 'globalAlpha', 'font', 'textAlign'],
  stroke: ['strokeStyle', 'globalAlpha', 'lineWidth', 'dash'],
};

afterEach(() => vi.restoreAllMocks());

/** A canvas that notes what is drawn on it. */
function noting(): { ctx: CanvasRenderingContext2D; drawn: string[] } {
  const drawn: string[] = [];
  let path: unknown[] = [];
  const target: Record<string, unknown> = {
    globalAlpha: 1,
    measureText: (text: string) => ({ width: text.length }),
    getTransform: () => ({}),
    beginPath: () => {
      path = [];
    },
    setLineDash: (segments: unknown) => {
      target.dash = segments;
    },
  };
  const call = (name: string, args: unknown[]) => {
    const found = DRAWING[name]?.map((key) => target[key]);
    if (!found) path.push(name, args);
    else if (args.length > 0) drawn.push(JSON.stringify([name, args, found]));
    else if (path.length > 0) drawn.push(JSON.stringify([name, path, found]));
  };
  const ctx = new Proxy(target, {
    get: (_, name: string) => target[name] ?? ((...args: unknown[]) => call(name, args)),
  });
  return { ctx: ctx as unknown as CanvasRenderingContext2D, drawn };
}

it.each(goldens())('%s', (_, events) => {
  const { timeline, layout } = opened(events);
  const { x, y, width, height } = layout.bounds;
  const seen = { x: x - 100, y: y - 100, width: width + 200, height: height + 200 };
  const view: View = { x: seen.x, y: seen.y, factor: 1, width: seen.width, height: seen.height };
  const kept = new Layers();
  const layers: string[][] = [];
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockImplementation(() => {
    const { ctx, drawn } = noting();
    layers.push(drawn);
    return ctx as never;
  });
  let before: Scene | null = null;
  for (const cursor of walk(timeline, 20)) {
    const scene: Scene = buildScene(timeline.stateAt(cursor), layout, { selection: null, hover: null }, before);
    before = scene;
    const whole = noting();
    drawParts(new Pen(whole.ctx, TOKENS, 1), scene, seen, PROGRESS);
    layers.length = 0;
    let painted: ReturnType<typeof repaint> = null;
    const frames = [1, 2, 3].map(() => {
      const { ctx, drawn } = noting();
      painted = repaint(new Pen(ctx, TOKENS, 1), scene, seen, view, PROGRESS, painted, kept);
      expect(painted).toBeInstanceOf(Moving);
      return drawn;
    });
    expect(frames[0]).toEqual(whole.drawn);
    expect(frames[2]).toEqual(frames[1]);
    expect([...layers.flat(), ...frames[1]!].sort()).toEqual(whole.drawn.sort());
  }
});
