// Protects: commands go to a program that can take them, answers to an older look are dropped, refusals are kept.

import { SvelteMap } from 'svelte/reactivity';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Answer, Event, Paused } from '../protocol/events';
import { logged } from '../store/logged';
import type { Ask } from '../transport/connection';
import { type Debugged, Debugger } from './debugger.svelte';

const stop = (seq: number, reason = 'step'): Paused => ({
  kind: 'paused',
  seq,
  line: 7,
  reason,
  breakpoints: [],
  where: 'line',
  call: null,
  node: null,
  stack: [
    { line: 9, function: '<module>', text: 'f()' },
    { line: 7, function: 'f', text: 'x' },
  ],
  note: null,
  frames_left_out: 0,
});

const of = (events: readonly object[]) => logged(events.map((event, seq) => ({ ...event, seq }) as Event));

let asked: Ask[];
let answers: Map<string, (command: Ask) => Answer | Promise<Answer>>;
let page: { run: Debugged['run'] & { paused: Paused | null }; live: boolean; patient: boolean; begun: unknown[] };
let made: Debugger;

beforeEach(() => {
  asked = [];
  answers = new Map();
  const run = { paused: stop(4), finished: false, seq: 3, log: logged([]), follow: vi.fn() };
  const shown = new SvelteMap([['run', run]]); // What the page shows changes what the debugger derives from it.
  page = {
    get run() {
      return shown.get('run')!;
    },
    set run(next) {
      shown.set('run', next as typeof run);
    },
    live: true,
    patient: true,
    begun: [],
  };
  made = new Debugger({
    get run() {
      return page.run;
    },
    get live() {
      return page.live;
    },
    get patient() {
      return page.patient;
    },
    ask: async (command) => {
      asked.push(command);
      return answers.get(command.command)?.(command) ?? { answer: 'done', id: 1 };
    },
    begin: (...given) => {
      page.begun.push(given);
    },
  });
});

const look = (text: string) => ({ type: 'int', text, tensor: null, value: null });

describe('going on', () => {
  it('steps only a program that stands still, and pauses only one that runs', async () => {
    await made.pause();
    expect(asked).toEqual([]);
    await made.step('node');
    expect(asked).toEqual([{ command: 'step', to: 'node' }]);
    expect(page.run.follow).toHaveBeenCalled();
  });

  it('does what is asked for on the way to a stop once it is there, but not past a breakpoint', async () => {
    const arrive = (at: Paused) => {
      page.run = { ...page.run, paused: at };
      made.stopped(at);
    };
    const first = made.step('into');
    void made.step('line'); // Before the answer.
    await first;
    void made.step('out'); // After it, before the program moves.
    expect(asked).toEqual([{ command: 'step', to: 'into' }]);
    arrive(stop(6));
    expect(asked.slice(1)).toEqual([{ command: 'step', to: 'line' }]);
    await vi.waitFor(() => expect(made.asked).toBe(false));
    expect(asked).toHaveLength(2);
    arrive(stop(9, 'breakpoint'));
    await vi.waitFor(() => expect(made.asked).toBe(false));
    expect(asked).toHaveLength(2);
    await made.step('node');
    expect(asked.slice(2)).toEqual([{ command: 'step', to: 'node' }]);
  });

  it('keeps the reason of a refusal until the next command', async () => {
    answers.set('resume', () => ({ answer: 'refused', id: 1, reason: 'Not now.' }));
    await made.resume();
    expect(made.refusal).toBe('Not now.');
    await made.step('line');
    expect(made.refusal).toBeNull();
  });

  it('runs again up to a step: the stops of both runs are not counted among its events', async () => {
    page.run = {
      ...page.run,
      log: of(['program_started', 'tensor_created', 'paused', 'resumed', 'op_applied'].map((kind) => ({ kind }))),
    };
    made.runTo(4);
    expect(page.begun).toEqual([[null, null, { pause: true }]]);
    made.stopped(stop(1, 'pause'));
    expect(asked).toEqual([{ command: 'step', to: 'seq', seq: 4 }]);
  });

  it('runs again to before the first line, where nothing else had been told', () => {
    const kinds = ['program_started', 'paused', 'error_raised', 'program_finished'];
    page.run = { ...page.run, log: of(kinds.map((kind) => ({ kind }))) };
    made.runTo(1);
    made.stopped(stop(1, 'pause'));
    expect(page.begun).toEqual([[null, null, { pause: true }]]);
    expect(asked).toEqual([]);
  });

  it.each([2, 3, 4])('runs again up to the last event of the program itself where the server ended it', (seq) => {
    const events = [
      ...['program_started', 'tensor_created', 'op_applied'].map((kind) => ({ kind })),
      { kind: 'error_raised', stage: 'limit' },
      { kind: 'program_finished', status: 'limit' },
    ];
    page.run = { ...page.run, log: of(events) };
    made.runTo(seq);
    made.stopped(stop(1, 'pause'));
    expect(asked).toEqual([{ command: 'step', to: 'seq', seq: 4 }]);
  });
});

describe('looking in', () => {
  it('shows the innermost frame first and asks for another on demand', async () => {
    answers.set('list_locals', (command) => ({
      answer: 'locals_listed',
      id: 1,
      function: 'f',
      line: 7,
      variables: [{ name: 'frame' in command ? `in${command.frame}` : '', look: look('1') }],
      omitted: 0,
    }));
    await made.look();
    expect(made.frames.map(({ line }) => line)).toEqual([7, 9]);
    expect(made.locals).toMatchObject({ frame: 0, variables: [{ name: 'in0' }] });
    made.choose(1);
    await vi.waitFor(() => expect(made.locals).toMatchObject({ frame: 1, variables: [{ name: 'in1' }] }));
  });

  it('watches each expression once, and keeps why one cannot be seen', async () => {
    answers.set('evaluate', (command) =>
      'expression' in command && command.expression === 'x'
        ? { answer: 'evaluated', id: 1, look: look('5'), output: '' }
        : { answer: 'refused', id: 1, reason: 'NameError' },
    );
    for (const expression of [' x ', 'x', '', 'y']) made.watch(expression);
    await made.look();
    expect(made.watches).toEqual([
      { expression: 'x', seen: { look: look('5'), output: '' } },
      { expression: 'y', seen: { refused: 'NameError' } },
    ]);
    made.unwatch('x');
    expect(made.expressions).toEqual(['y']);
  });

  it('drops what an older look brings', async () => {
    const late: ((answer: Answer) => void)[] = [];
    answers.set('list_locals', () => new Promise<Answer>((resolve) => late.push(resolve)));
    const listed = (text: string): Answer => ({
      answer: 'locals_listed',
      id: 1,
      function: 'f',
      line: 7,
      variables: [{ name: 'x', look: look(text) }],
      omitted: 0,
    });
    const first = made.look();
    const second = made.look();
    await vi.waitFor(() => expect(late).toHaveLength(2));
    late[1]!(listed('new'));
    await second;
    late[0]!(listed('old'));
    await first;
    expect(made.locals).toMatchObject({ variables: [{ look: { text: 'new' } }] });
  });

  it('says why something cannot be changed, and looks again where it was', async () => {
    answers.set('assign', () => ({ answer: 'refused', id: 1, reason: 'NameError: no' }));
    expect(await made.assign('x', 'no')).toBe('NameError: no');
    answers.delete('assign');
    expect(await made.assign('x', '1')).toBeNull();
    expect(asked.at(-1)).toMatchObject({ command: 'list_locals' });
  });
});

describe('breakpoints of a running program', () => {
  it('are sent as they change, and only once the program is there', async () => {
    page.live = false;
    made.breakpoints.add({ on: 'non_finite' });
    expect(asked).toEqual([]);
    page.live = true;
    made.arrive();
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    made.breakpoints.add({ on: 'hook' });
    made.breakpoints.add({ on: 'freed' });
    await vi.waitFor(() => expect(asked.at(-1)).toMatchObject({ breakpoints: { length: 3 } }));
  });
});
