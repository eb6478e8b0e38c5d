// The stage without the page around it, for tests/benchmarks/stage_speed.py: it draws frames of a recorded run, and draws
// each again as the bare calls that the canvas got, so that one knows what all else costs.

import '../src/theme/fonts';
import '../src/theme/tokens.css';
import { MirrorLayout } from '../src/layout/mirror';
import { rehearse } from '../src/layout/rehearsal';
import type { Event } from '../src/protocol/events';
import { StageRenderer, type Transition } from '../src/renderer/canvas';
import { readTokens } from '../src/renderer/tokens';
import { type Folds, NO_FOLDS } from '../src/scene/fold/folds';
import { buildScene, type Scene } from '../src/scene/scene';
import { keyOf, targetOf } from '../src/scene/target';
import { EventLog } from '../src/store/log';
import { Timeline } from '../src/timeline/timeline';

type Call = { name: string; args: unknown[] | null; value: unknown };
/** Milliseconds of each frame: by the page, and of its calls alone. */
type Frames = { page: number[]; bare: number[]; nodes: number };

const canvas = document.querySelector('canvas')!;
const tokens = readTokens(document.documentElement);
const log = new EventLog();
const timeline = new Timeline(log);
let layout = new MirrorLayout(log);
let folds: Folds = NO_FOLDS;
let shown: Scene | null = null;
let cursor = 0;
let read: readonly Event[] = [];

/** A canvas that notes what is called while it passes it on. */
const calls: Call[] = [];
const context = canvas.getContext('2d')!;
const noting = new Proxy(context, {
  get(target, name: string) {
    const value = Reflect.get(target, name, target);
    if (typeof value !== 'function') return value;
    return (...args: unknown[]) => {
      calls.push({ name, args, value: null });
      return value.apply(target, args);
    };
  },
  set(target, name: string, value) {
    calls.push({ name, args: null, value });
    return Reflect.set(target, name, value, target);
  },
});
const noted = new Proxy(canvas, {
  get(target, name: string) {
    if (name === 'getContext') return () => noting;
    const value = Reflect.get(target, name, target);
    return typeof value === 'function' ? value.bind(target) : value;
  },
  set: (target, name: string, value) => Reflect.set(target, name, value, target),
});

const renderer = new StageRenderer(canvas, () => tokens);
const notary = new StageRenderer(noted, () => tokens);
const { camera } = renderer;

/** Waits until all that was drawn is there. */
function finish(): void {
  context.getImageData(0, 0, 1, 1);
}

function timed(work: () => void): number {
  const begun = performance.now();
  work();
  finish();
  return performance.now() - begun;
}

function replay(): void {
  const target = context as unknown as Record<string, unknown>;
  for (const { name, args, value } of calls) {
    if (args) (target[name] as (...args: unknown[]) => void).apply(context, args);
    else target[name] = value;
  }
}

function show(scene: Scene, transition: Transition | null = null): void {
  shown = scene;
  renderer.setScene(scene, transition);
}

function sceneAt(at: number): Scene {
  return buildScene(timeline.stateAt(at), layout, { selection: null, hover: null, folds }, shown);
}

/** Draws a frame as the page does after `change`, and then its bare calls, `rounds` times each. */
function frame(frames: Frames, change: () => void): void {
  const now = performance.now();
  frames.page.push(
    timed(() => {
      change();
      renderer.draw(now);
    }),
  );
  notary.setScene(shown!);
  // The bare calls are those of the whole, where the page draws only what a step changes.
  notary.redraw();
  Object.assign(notary.camera, { x: camera.x, y: camera.y, scale: camera.scale });
  calls.length = 0;
  notary.draw(now);
  finish();
  frames.bare.push(timed(replay));
}

function begin(): Frames {
  const { width, height } = camera;
  const seen = { x: camera.x, y: camera.y, width: width / camera.scale, height: height / camera.scale };
  const { pills } = shown!.visible(seen, camera.scale);
  return { page: [], bare: [], nodes: 2 * pills.length };
}

const stage = {
  /** Lets the page get ready, as it does in idle time. */
  rehearse: () => rehearse(() => new EventLog()),

  /** Reads the run that was chosen; returns how many ops and nodes it has. */
  async read(): Promise<number> {
    const lines = (await document.querySelector('input')!.files![0]!.text()).trimEnd().split('\n');
    read = lines.map((line) => JSON.parse(line) as Event);
    return read.filter(({ kind }) => kind === 'op_applied' || kind === 'node_started').length;
  },

  /** Lays out what was read, and does nothing else; returns how long it took. */
  lay(): number {
    const own = new EventLog();
    const made = new MirrorLayout(own);
    const begun = performance.now();
    own.append(read);
    const took = performance.now() - begun;
    made.close();
    return took;
  },

  /** Takes the run that was chosen; resolves to how many events, moments and things it has. */
  async load(): Promise<{ events: number; moments: number; nodes: number }> {
    const file = document.querySelector('input')!.files![0]!;
    log.clear();
    layout.close();
    layout = new MirrorLayout(log);
    let rest = '';
    const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
    for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
      const lines = (rest + value).split('\n');
      rest = lines.pop()!;
      log.append(lines.map((line) => JSON.parse(line) as Event));
    }
    cursor = timeline.moments.length - 1;
    folds = NO_FOLDS;
    await document.fonts.ready;
    show(sceneAt(cursor));
    camera.fit(false);
    const ops = layout.items.filter(({ kind }) => kind === 'op').length;
    return { events: log.length, moments: timeline.moments.length, nodes: 2 * ops };
  },

  /** Opens every module, as a reader could. */
  open(): void {
    folds = new Map(layout.chunks.flatMap(({ frames }) => frames.map(({ place }) => [keyOf(targetOf(place)), false])));
    show(sceneAt(cursor));
  },

  /** A view of the whole, somewhat closer by a factor. */
  whole(factor = 1): void {
    camera.fit(false);
    camera.zoom(factor, camera.width / 2, camera.height / 2);
  },

  pan(count: number): Frames {
    const frames = begin();
    for (let i = 0; i < count; i += 1) frame(frames, () => camera.pan(i % 20 < 10 ? 8 : -8, i % 10 < 5 ? 5 : -5));
    return frames;
  },

  /** Zooms in by a factor and back. */
  zoom(count: number, factor: number): Frames {
    const frames = begin();
    const step = factor ** (2 / count);
    const { width, height } = camera;
    for (let i = 0; i < count; i += 1) {
      frame(frames, () => camera.zoom(i < count / 2 ? step : 1 / step, width / 2, height / 2));
    }
    return frames;
  },

  /** Shows moment after moment, each in a frame. */
  play(count: number, from: number): Frames {
    const frames = begin();
    cursor = Math.floor((timeline.moments.length - count) * from);
    for (let i = 0; i < count; i += 1) {
      frame(frames, () => {
        cursor += 1;
        show(sceneAt(cursor));
      });
    }
    return frames;
  },

  /** Goes to moments far apart, each shown in a frame. */
  seek(count: number): Frames {
    const frames = begin();
    for (let i = 0; i < count; i += 1) {
      frame(frames, () => {
        cursor = Math.floor(timeline.moments.length * ((i * 0.618_034) % 1));
        show(sceneAt(cursor));
      });
    }
    return frames;
  },

  /** One transition that many edges take part in, over and over, at the rate of the screen: the times between its frames. */
  async transition(seconds: number): Promise<{ between: number[]; drawn: number[]; moving: number; nodes: number }> {
    const moving = (at: number) => sceneAt(at).effects.sending.size;
    cursor = 0;
    for (const { index } of timeline.moments) if (moving(index) > moving(cursor)) cursor = index;
    const [before, scene] = [sceneAt(cursor - 1), sceneAt(cursor)];
    show(before);
    camera.fit(false);
    const { nodes } = begin();
    const between: number[] = [];
    const drawn: number[] = [];
    const end = performance.now() + seconds * 1000;
    let last = 0;
    for (let began = 0; ; ) {
      const at = await new Promise<number>(requestAnimationFrame);
      performance.mark('frame');
      if (at > end) break;
      if (last) between.push(at - last);
      last = at;
      if (at - began > 640) {
        show(before);
        show(scene, { from: before, durationMs: 640 });
        began = at;
      }
      drawn.push(timed(() => renderer.draw(performance.now())));
    }
    return { between, drawn, moving: moving(cursor), nodes };
  },
};

Object.assign(globalThis, { stage });
