// Protects: phases are named in loops too, neither bars nor the cursor cross a number, and rounds are numbered at regular
// distances: each where there is room, else every second, fifth or tenth.

import { expect, it } from 'vitest';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { memoryColumns, mostMemory, wholeSpan } from '../timeline/span';
import { Timeline } from '../timeline/timeline';
import { Bands, lineRuns, Marks, rounds } from './bands';
import { drawCursor, drawLayer, LAYERS } from './track-drawing';
import type { TrackInk, TrackPicture } from './track-picture';

type Drawn = { name: string; args: unknown[] };

/** A context that keeps what is drawn on it. */
function recorder(drawn: Drawn[]): CanvasRenderingContext2D {
  const context = new Proxy({} as Record<string, unknown>, {
    get: (target, name: string) =>
      name === 'measureText'
        ? (text: string) => ({ width: 7 * text.length })
        : (target[name] ?? ((...args: unknown[]) => drawn.push({ name, args }))),
  });
  return context as unknown as CanvasRenderingContext2D;
}

function textsOf(drawn: readonly Drawn[]): { text: string; y: number }[] {
  return drawn.flatMap(({ name, args }) =>
    name === 'fillText' ? [{ text: String(args[0]), y: Number(args[2]) }] : [],
  );
}

function pictureOf(rounds: number, length: number): TrackPicture {
  return {
    bands: [],
    marks: [],
    rounds: Array.from({ length: rounds }, (_, i) => ({
      round: i + 1,
      index: Math.round((i * length) / (2 * rounds)),
    })),
    lines: [],
    memory: { values: [], saved: [], gradients: [], count: 0, left: 0, step: 1 } as unknown as TrackPicture['memory'],
    most: 1,
    length,
    shown: length,
    span: wholeSpan(length),
    reserved: 0,
    width: 800,
    height: 100,
  };
}

function ground(picture: TrackPicture): { text: string; y: number }[] {
  const drawn: Drawn[] = [];
  drawLayer(recorder(drawn), 'ground', picture, {} as TrackInk, '12px mono');
  return textsOf(drawn);
}

function numbers(rounds: number, length: number): string[] {
  return ground(pictureOf(rounds, length)).map(({ text }) => text);
}

it('stands at each of a few rounds', () => {
  expect(numbers(4, 400)).toEqual(['1', '2', '3', '4']);
});

it.each([
  [20, ['1', '5', '10', '15', '20']],
  [50, ['1', '10', '20', '30', '40', '50']],
  [100, ['1', '20', '40', '60', '80', '100']],
])('stands at every fifth, tenth or twentieth of %i', (rounds, texts) => {
  expect(numbers(rounds, 40 * rounds)).toEqual(texts);
});

it('stands at none where the rounds themselves cannot be told apart, though after the last there is room', () => {
  expect(numbers(300, 4000)).toEqual([]);
});

it('stands at the only round', () => {
  expect(numbers(1, 40)).toEqual(['1']);
});

const loop = (passes: number, length: number) =>
  Array.from({ length: 2 * passes }, (_, i) => ({
    from: Math.round((i * length) / (2 * passes)),
    to: Math.round(((i + 1) * length) / (2 * passes)) - 1,
    phase: i % 2 === 0 ? ('forward' as const) : ('backward' as const),
    pass: i % 2 === 0 ? null : (i + 1) / 2,
  }));

it('names each stretch that has room for its name', () => {
  const texts = ground({ ...pictureOf(0, 40), bands: loop(2, 40) }).map(({ text }) => text);
  expect(texts).toEqual(['forward', 'backward', 'forward', 'backward 2']);
});

it.each([20, 400])('names both phases once in a loop of %i passes', (passes) => {
  const picture = { ...pictureOf(passes, 40 * passes), bands: loop(passes, 40 * passes) };
  expect(ground(picture).map(({ text }) => text)).toEqual(expect.arrayContaining(['forward', 'backward']));
  expect(ground(picture).filter(({ text }) => text === 'forward')).toHaveLength(1);
});

it('keeps the numbers of rounds and lines below the memory and below the cursor', () => {
  const lines = [{ from: 0, to: 9, line: 7 }];
  const picture = { ...pictureOf(4, 10), lines };
  const drawn: Drawn[] = [];
  drawCursor(recorder(drawn), 4, picture, {} as TrackInk);
  const [, top, , high] = drawn.find(({ name }) => name === 'fillRect')!.args as number[];
  const texts = ground(picture);
  expect(texts.map(({ text }) => text)).toEqual(expect.arrayContaining(['1', '4', 'line 7']));
  // A text reaches twelve pixels up from where it is drawn.
  for (const { y } of texts) expect(y - 12).toBeGreaterThanOrEqual(top! + high!);
  const memory: Drawn[] = [];
  const columns = { values: [1], saved: [1], gradients: [1], count: 1, left: 0, step: 800 };
  drawLayer(
    recorder(memory),
    'ground',
    { ...picture, memory: columns as unknown as TrackPicture['memory'] },
    {} as TrackInk,
    '',
  );
  const clip = memory.find(({ name }) => name === 'rect')!.args as number[];
  expect(clip[3]).toBe(top! + high!);
});

type Box = { left: number; top: number; right: number; bottom: number };

/** The texts that were drawn, and the boxes of each piece of a line and of each rectangle. */
function boxesOf(drawn: readonly Drawn[]): { texts: (Box & { text: string })[]; marks: Box[] } {
  const texts: (Box & { text: string })[] = [];
  const found: Box[] = [];
  let path: Box[] = [];
  let at: [number, number] = [0, 0];
  const piece = (x: number, y: number) => {
    path.push({
      left: Math.min(at[0], x),
      top: Math.min(at[1], y),
      right: Math.max(at[0], x),
      bottom: Math.max(at[1], y),
    });
    at = [x, y];
  };
  for (const { name, args } of drawn) {
    const [a, b, c, d] = args as number[];
    if (name === 'beginPath') path = [];
    else if (name === 'moveTo') at = [a!, b!];
    else if (name === 'lineTo') piece(a!, b!);
    else if (name === 'arc') path.push({ left: a! - c!, top: b! - c!, right: a! + c!, bottom: b! + c! });
    else if (name === 'stroke') found.push(...path);
    else if (name === 'fillRect') found.push({ left: a!, top: b!, right: a! + c!, bottom: b! + d! });
    else if (name === 'fillText') {
      const [text, x, y] = args as [string, number, number];
      // No name and no number reaches below its line.
      texts.push({ text, left: x, top: y - 9, right: x + 7 * text.length, bottom: y });
    }
  }
  return { texts, marks: found };
}

const overlap = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** The tracks of windows 1920, 1440, 1280, 1024 and 390 pixels wide. */
const TRACKS = [
  [1330, 104],
  [850, 104],
  [740, 88],
  [540, 88],
  [346, 44],
] as const;

it.each([...goldens(), ['a loop of 60 rounds', null] as const])(
  'draws nothing over a name or a number of %s',
  (_, events) => {
    const log = new EventLog();
    const timeline = new Timeline(log);
    log.append(events ?? []);
    const { moments, history } = timeline;
    const length = events ? moments.length : 600;
    const span = wholeSpan(length);
    const series = timeline.memory();
    for (const [width, height] of TRACKS) {
      const made = pictureOf(60, 2 * length);
      const picture: TrackPicture = {
        ...made,
        bands: events ? new Bands().of(moments) : loop(60, length),
        marks: new Marks().of(moments),
        rounds: events ? rounds(history.whereabouts.loops.values(), (seq) => timeline.momentOfSeq(seq)) : made.rounds,
        lines: lineRuns(moments, span.from, span.to),
        memory: memoryColumns(series, span, length, width),
        most: mostMemory(series, length),
        shown: length,
        length,
        span,
        reserved: 90,
        width,
        height,
      };
      const drawn: Drawn[] = [];
      for (const layer of LAYERS) drawLayer(recorder(drawn), layer, picture, {} as TrackInk, '');
      const cursors: Drawn[] = [];
      for (let cursor = -1; cursor < length; cursor += Math.ceil(length / 50))
        drawCursor(recorder(cursors), cursor, picture, {} as TrackInk);
      const { texts, marks: signs } = boxesOf(drawn);
      const covered = texts.filter(
        (one, i) =>
          [...signs, ...boxesOf(cursors).marks].some((mark) => overlap(one, mark)) ||
          texts.some((other, j) => j > i && overlap(one, other)),
      );
      expect(covered.map(({ text, left }) => `${text} at ${Math.round(left)} of ${width}`)).toEqual([]);
    }
  },
);
