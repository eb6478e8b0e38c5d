// Protects: the way of a lesson over its pages: where the run rests, what is played, what an answer and a change bring.

import { flushSync } from 'svelte';
import { afterEach, expect, test, vi } from 'vitest';
import { Answers } from '../learn/answers';
import { Progress } from '../learn/progress.svelte';
import type { Lesson, PredictBlock, ProgramBlock } from '../protocol/lessons';
import type { Given } from './outcome';
import { type LessonBench, Play } from './play.svelte';

const program = (name: string, source = `${name} = 1`): ProgramBlock => ({
  kind: 'program',
  line: 1,
  name,
  source,
  source_line: 2,
  seed: 3,
  raises: null,
});
const at = (step: number) => ({ text: 'the start', place: { step, seq: step, read_seq: step } });
const predict = (step: number, question: PredictBlock['question']): PredictBlock => ({
  kind: 'predict',
  line: 20 + step,
  program: 'a',
  at: at(step),
  text: 'What?',
  hide: [],
  question,
  wrong: [],
  otherwise: 'No.',
  right: 'So it is.',
});
const LESSON: Lesson = {
  name: '01_graph',
  title: 'Graph',
  goal: 'Say',
  learned: 'That.',
  minutes: 4,
  needs: [],
  lines: {},
  blocks: [
    { kind: 'text', line: 1, text: 'It begins.' },
    program('a'),
    { kind: 'step', line: 5, program: 'a', at: at(2), text: 'Look.', hide: [] },
    predict(20, { form: 'value', ask: 'x', within: null, answer: { kind: 'number', number: 7 } }),
    predict(20, { form: 'node', ask: 'next node', answer: { node: 4, name: 'MulBackward0', step: 21 } }),
    program('b'),
    { ...predict(9, { form: 'choice', ask: 'x', options: [], answer: 0 }), program: 'b' },
    {
      kind: 'change',
      line: 50,
      program: 'b',
      text: 'Change it.',
      check: 'x == 2',
      at: at(9),
      edit: { of: 'numbers', first: null, last: null },
      missed: [],
      otherwise: null,
      right: 'Yes.',
      solution: 'b = 2',
      solution_line: 60,
    },
  ],
};

class FakeRun {
  cursor = -1;
  finished = true;
  status = 'ok';
  length = 30;
  connection: { state: string; session?: string } = { state: 'live', session: 's1' };
  timeline = { nextBackward: () => 6 };

  constructor(readonly source: string) {}

  moveTo(cursor: number): void {
    this.cursor = cursor;
  }
}

/** A page whose programs are over as soon as they run. */
class FakeBench {
  lesson = $state.raw<{ name: string; page: number } | null>({ name: '01_graph', page: 1 });
  run = $state.raw<FakeRun | null>(null);
  draft = $state('');
  pending = null;
  rerun = null;
  seed = 0;
  playback = {
    pause: vi.fn(),
    play: vi.fn((run: FakeRun, until: number) => {
      run.cursor = until;
    }),
  };

  runLesson(source: string, seed: number): void {
    this.draft = source;
    this.seed = seed;
    this.begin();
  }

  edit(source: string): void {
    this.draft = source;
  }

  begin(): void {
    this.run = new FakeRun(this.draft);
  }
}

let stop = () => {};
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
  localStorage.removeItem('backscope.lessons');
});

function started(page = 1, lesson = LESSON, answers: Answers | null = null) {
  const bench = new FakeBench();
  bench.lesson = { name: '01_graph', page };
  const progress = new Progress();
  const judge = (_: unknown, given: Given) => {
    const right = given.form === 'value' ? given.typed === '7' : given.form === 'node' ? given.node === 4 : true;
    return { right, text: right ? 'So it is.' : 'No.' };
  };
  const play = new Play(bench as unknown as LessonBench, lesson, progress, judge, answers);
  stop = $effect.root(() => {
    $effect(() => {
      play.index;
      play.arrive();
    });
    $effect(() => play.follow());
  });
  flushSync();
  const turn = (by: 1 | -1) => {
    play.turn(by);
    flushSync();
  };
  return { bench, play, progress, turn, cursor: () => bench.run!.cursor };
}

test('the program runs with its seed and is read before it starts; the way to the first moment is played', () => {
  const { bench, play, turn, cursor, progress } = started();
  expect([bench.draft, bench.seed, cursor()]).toEqual(['a = 1', 3, -1]);
  turn(1);
  expect(play.page.kind).toBe('step');
  expect(cursor()).toBe(2);
  expect(bench.playback.play).toHaveBeenLastCalledWith(bench.run, 2);
  expect(progress.of('01_graph')).toMatchObject({ page: 2, pages: 7 });
});

test('before an answer the lesson stays where it was; the right one plays the last steps up to its moment', () => {
  const { bench, play, turn, cursor, progress } = started(2);
  turn(1);
  expect([play.isAsking, cursor()]).toEqual([true, 2]);
  play.answer({ form: 'value', value: { kind: 'number', number: 4 }, typed: '4' });
  expect([play.isAsking, play.outcome?.verdict?.text, cursor()]).toEqual([true, 'No.', 2]);
  const moved = vi.spyOn(bench.run!, 'moveTo');
  play.answer({ form: 'value', value: { kind: 'number', number: 7 }, typed: '7' });
  expect(moved).toHaveBeenCalledWith(8);
  expect([play.isAsking, cursor()]).toEqual([false, 20]);
  expect(progress.of('01_graph')?.solved).toEqual([40]);
  turn(1);
  // A node is pointed at in its moment, and what follows is the answer.
  expect([play.isAsking, cursor()]).toEqual([true, 20]);
  play.reveal();
  expect([play.outcome?.given, cursor()]).toEqual([null, 21]);
  turn(-1);
  expect([play.outcome?.revealed, cursor()]).toEqual([true, 20]);
});

test('a question about a moment that the answer before has shown goes back to where that one was asked', () => {
  const value = (step: number) =>
    predict(step, { form: 'value', ask: 'x', within: null, answer: { kind: 'number', number: 7 } });
  const [text, code, step] = LESSON.blocks;
  const blocks = [text!, code!, step!, value(20), value(20), value(12), value(21)];
  const { play, turn, cursor } = started(3, { ...LESSON, blocks });
  play.reveal();
  expect(cursor()).toBe(20);
  for (let more = 0; more < 2; more += 1) {
    turn(1);
    expect([play.isAsking, cursor()]).toEqual([true, 2]);
  }
  play.reveal();
  turn(1);
  expect([play.isAsking, cursor()]).toEqual([true, 12]);
});

test('a link to a page after a question that was not answered finds the run where the question left it', () => {
  const { bench, play, cursor, turn } = started(5);
  turn(1);
  expect([play.page.kind, cursor()]).toEqual(['change', 9]);
  expect(bench.draft).toBe('b = 1');
});

test('a question about another program is asked before its backward pass', () => {
  const { bench, cursor } = started(5);
  expect([bench.draft, cursor()]).toEqual(['b = 1', 5]);
});

test('a page beyond the last is the last, and pages before the first and after the last are none', () => {
  const { bench, play, turn } = started(99);
  expect(play.page.kind).toBe('end');
  turn(1);
  expect(bench.lesson).toEqual({ name: '01_graph', page: 99 });
  play.goTo(0);
  flushSync();
  turn(-1);
  expect(bench.lesson?.page).toBe(1);
});

test('a lesson stays on its page, and keeps its progress, until another one has come', () => {
  const { bench, play, progress } = started(3);
  bench.lesson = { name: '02_chain_rule', page: 1 };
  flushSync();
  expect([play.index, progress.of('01_graph')?.page]).toEqual([2, 3]);
});

test('a changed program is noticed and brought back', () => {
  const { bench, play } = started(2);
  bench.edit('a = 5');
  expect(play.isEdited).toBe(true);
  play.restore();
  flushSync();
  expect([bench.draft, play.isEdited, bench.run?.cursor]).toEqual(['a = 1', false, 2]);
});

test('a run that failed is said, and run again', () => {
  const { bench, play, turn } = started(4);
  bench.begin = () => {};
  turn(1);
  expect(play.isMissing).toBe(true);
  bench.begin = FakeBench.prototype.begin;
  play.runAgain();
  flushSync();
  expect([play.isMissing, bench.run?.source]).toEqual([false, 'b = 1']);
});

test('what the reader wrote meanwhile is run again, and kept', () => {
  const { bench, play, turn } = started(4);
  bench.begin = () => {};
  turn(1);
  turn(1);
  bench.edit('b = 5');
  expect(play.isMissing).toBe(true);
  bench.begin = FakeBench.prototype.begin;
  play.runAgain();
  flushSync();
  expect([play.isMissing, bench.run?.source, bench.draft]).toEqual([false, 'b = 5', 'b = 5']);
});

test('the run of a change is judged by the server, once, and its text is there again on the way back', async () => {
  const asked: unknown[] = [];
  let answer = { reached: false, text: 'Not yet.', problem: null as string | null };
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    asked.push([path, JSON.parse(String(init.body))]);
    return new Response(JSON.stringify(answer));
  });
  const { bench, play, turn, progress } = started(6);
  expect(play.attempt).toBeNull();
  bench.edit('b = 3');
  bench.begin();
  flushSync();
  expect(play.attempt?.judging).toBe(true);
  await vi.waitFor(() => expect(play.attempt?.judging).toBe(false));
  expect(asked).toEqual([['/api/lessons/01_graph/changes', { line: 50, session: 's1' }]]);
  expect(play.attempt).toMatchObject({ reached: false, text: 'Not yet.' });
  answer = { reached: true, text: 'Yes.', problem: null };
  bench.edit('b = 9');
  bench.begin();
  flushSync();
  await vi.waitFor(() => expect(play.attempt?.reached).toBe(true));
  expect(asked).toHaveLength(2);
  expect(progress.of('01_graph')?.solved).toEqual([50]);
  // That a solution reaches the aim is known.
  play.solve();
  flushSync();
  expect(play.attempt).toMatchObject({ source: 'b = 2', reached: true, text: 'Yes.' });
  expect(asked).toHaveLength(2);
  turn(1);
  expect(bench.draft).toBe('b = 1');
  turn(-1);
  expect(bench.draft).toBe('b = 2');
});

test('a change that was reached is there again after a reload, and is not judged again', () => {
  localStorage.clear();
  const asked = vi.fn();
  vi.stubGlobal('fetch', asked);
  const before = started(6, LESSON, new Answers(LESSON));
  before.play.solve();
  flushSync();
  expect(before.play.attempt).toMatchObject({ source: 'b = 2', reached: true, text: 'Yes.' });
  stop();
  const { bench, play, progress } = started(6, LESSON, new Answers(LESSON));
  expect([bench.draft, bench.run?.source]).toEqual(['b = 2', 'b = 2']);
  expect(play.attempt).toMatchObject({ source: 'b = 2', reached: true, judging: false, text: 'Yes.' });
  expect(asked).not.toHaveBeenCalled();
  // The solution was shown, not found.
  expect(progress.of('01_graph')?.solved).toEqual([]);
  play.startOver();
  expect(new Answers(LESSON).read()).toEqual({});
});

test.each([7, null, { source: 'x' }, { source: 'x', text: 'y', read: 1 }, { form: 'value', value: 7 }])(
  'a damaged change is no change: %j',
  (found) => {
    localStorage.clear();
    new Answers(LESSON).keep(50, found, true);
    expect(started(6, LESSON, new Answers(LESSON)).play.attempt).toBeNull();
  },
);

test('a verdict that cannot be had says why', async () => {
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('gone');
  });
  const { bench, play } = started(6);
  bench.edit('b = 3');
  bench.begin();
  flushSync();
  await vi.waitFor(() => expect(play.attempt?.problem).toContain('The server does not answer'));
});
