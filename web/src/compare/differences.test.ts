// Protects: two runs are aligned by what happens in them, each difference is listed once, and a run equals itself.

import { expect, test } from 'vitest';
import { atOnce } from '../find/work-slices';
import type { Event, OpApplied, TensorCreated } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { compare as comparing, counterpart } from './differences';

const compare = (base: readonly Event[], here: readonly Event[]) => atOnce(comparing(base, here));

const RUNS = new Map(goldens());
const TRAINING = RUNS.get('training')!;

test.each([...RUNS])('%s differs from itself in nothing', (_, events) => {
  const { differences, pairs, steps } = compare(events, events);
  expect(differences).toEqual([]);
  expect(pairs.length).toBe(steps);
});

/** The same run with other numbers for its tensors and nodes. */
function renumbered(events: readonly Event[]): Event[] {
  return JSON.parse(
    JSON.stringify(events, (key, value) =>
      typeof value === 'number' && ['tensor', 'node', 'to_node', 'storage'].includes(key) ? value + 1000 : value,
    ),
  );
}

test('numbers of tensors and nodes are of no account', () => {
  expect(compare(TRAINING, renumbered(TRAINING)).differences).toEqual([]);
});

/** Takes a change of a program's run: its source, and its events. */
function edited(source: (text: string) => string, change: (events: Event[]) => Event[]): Event[] {
  const events = change(structuredClone(TRAINING) as Event[]);
  const first = events[0]!;
  if (first.kind === 'program_started') first.source = source(first.source ?? '');
  return events.map((event, seq) => ({ ...event, seq }));
}

const isOp = (name: string) => (event: Event) => event.kind === 'op_applied' && event.op === name;

test('an op that is missing, one that is new and one in the place of another', () => {
  const at = TRAINING.findIndex(isOp('tanh'));
  const missing = edited(
    (text) => text,
    (events) => events.filter((_, seq) => seq !== at),
  );
  const gone = compare(TRAINING, missing).differences;
  expect(gone[0]).toMatchObject({ kind: 'gone', base: { seq: at }, here: null });
  const added = compare(missing, TRAINING).differences;
  expect(added[0]).toMatchObject({ kind: 'added', base: null, here: { seq: at } });
  const other = edited(
    (text) => text.replace('tanh', 'relu'),
    (events) => {
      (events[at] as OpApplied).op = 'relu';
      return events;
    },
  );
  const [first] = compare(TRAINING, other).differences;
  expect(first).toMatchObject({ kind: 'op', base: { seq: at }, here: { seq: at } });
  expect(first!.texts![0]).toContain('tanh');
  expect(first!.texts![1]).toContain('relu');
});

test('lines that were put before do not matter, and both lines are told', () => {
  const moved = edited(
    (text) => `# first\n# second\n${text}`,
    (events) => events.map((event) => (event.line === null ? event : { ...event, line: event.line + 2 })),
  );
  const { differences, pairs, steps } = compare(TRAINING, moved);
  expect(differences).toEqual([]);
  expect(pairs.length).toBe(steps);
});

test('a value, a shape, a print, a gradient and what is not recorded any more are told with what they were', () => {
  const at = TRAINING.findIndex(isOp('tanh'));
  const sent = TRAINING.findIndex(({ kind }) => kind === 'gradient_sent');
  const printed = TRAINING.findIndex(({ kind }) => kind === 'output_printed');
  const here = edited(
    (text) => text,
    (events) => {
      const op = events[at] as OpApplied;
      op.outputs[0]!.value.values = op.outputs[0]!.value.values.map((one) => Number(one) * 1.5);
      op.node = null;
      const gradient = events[sent]!;
      if (gradient.kind === 'gradient_sent') gradient.value.shape = [7];
      const print = events[printed]!;
      if (print.kind === 'output_printed') print.text = 'else';
      return events;
    },
  );
  const found = compare(TRAINING, here).differences;
  const value = found.find(({ kind }) => kind === 'value');
  expect(value?.relative).toBeCloseTo(0.5, 5);
  expect(found.find(({ kind }) => kind === 'tape')?.texts).toEqual(['TanhBackward0', '']);
  expect(found.find(({ kind }) => kind === 'shape')?.texts?.[1]).toContain('[7]');
  expect(found.find(({ kind }) => kind === 'printed')?.texts?.[1]).toBe('else');
  expect(found[0]!.here!.seq).toBe(at);
});

test('two programs that have little in common are held against each other by their ops alone', () => {
  const other = edited(
    (text) => text.replaceAll('\n', '  # another\n'),
    (events) => events.map((event) => (event.line === null ? event : { ...event, line: event.line + 40 })),
  );
  expect(compare(TRAINING, other).differences).toEqual([]);
});

test('two programs that have little in common hold leaves of one name against each other, and say how many gradients', () => {
  const first = TRAINING.findIndex(({ kind }) => kind === 'tensor_created');
  const made = TRAINING[first] as TensorCreated;
  const other = edited(
    (text) => text.replaceAll('\n', '  # another\n'),
    (events) => {
      // Another leaf is made before, as this one was.
      const before = structuredClone(made);
      before.info.tensor = 9001;
      before.info.value.values = before.info.value.values.map(() => 77);
      return [...events.slice(0, first), before, ...events.slice(first)];
    },
  );
  expect(compare(TRAINING, other).differences).toMatchObject([{ kind: 'added', here: { seq: first } }]);
  expect(compare(TRAINING, other).grads).toBeGreaterThan(0);
  expect(compare(RUNS.get('no_graph')!, TRAINING).grads).toBe(0);
});

test('the counterpart of a step is the last that both have done', () => {
  const pairs = [
    [3, 5],
    [4, 9],
  ] as const;
  expect([4, 5, 8, 9, 100].map((seq) => counterpart(pairs, seq))).toEqual([-1, 3, 3, 4, 4]);
});

test('of two ops of one name at one line the backward pass keeps each to its own', () => {
  const multiplied = RUNS.get('training')!.filter(({ kind }) => kind === 'gradient_sent');
  expect(multiplied.length).toBeGreaterThan(0);
  const at = TRAINING.findIndex(isOp('tanh'));
  const op = TRAINING[at] as OpApplied;
  const twice = edited(
    (text) => text,
    (events) => {
      const again = structuredClone(op);
      again.node!.node = 9001;
      const sent = events.findIndex((event) => event.kind === 'gradient_sent' && event.node === op.node!.node);
      const first = { ...structuredClone(events[sent]!), node: 9001 } as Event;
      return [...events.slice(0, at + 1), again, ...events.slice(at + 1, sent), first, ...events.slice(sent)];
    },
  );
  const found = compare(TRAINING, twice).differences;
  // The second of the two is new, and so is what its node sends, which comes first.
  expect(found.map(({ kind }) => kind)).toEqual(['added', 'added']);
  expect(found[1]!.target).toEqual({ type: 'edge', node: 9001, inputNr: 0 });
});

test('long runs that have nothing in common are compared in time that grows with their length alone', () => {
  const op = TRAINING.find(isOp('tanh')) as OpApplied;
  const long = (name: string) => [
    TRAINING[0]!,
    ...Array.from({ length: 30_000 }, (_, at) => ({ ...op, op: `${name}${at % 50}` })),
  ];
  const [a, b] = [long('a'), long('b')].map((events) => events.map((event, seq) => ({ ...event, seq }) as Event));
  const { differences, pairs } = compare(a!, b!);
  expect(pairs).toEqual([]);
  expect(differences.length).toBe(30_000);
  expect(new Set(differences.map(({ kind }) => kind))).toEqual(new Set(['op']));
});

test('tells how far it is, and can be left at any time', () => {
  const shares = [...comparing(TRAINING, TRAINING)];
  expect(shares.length).toBeGreaterThan(4);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.at(-1)).toBeLessThanOrEqual(1);
});
