// Protects: what is collected becomes a lesson; what a browser kept or a link holds is read within bounds, whatever it is.

import { beforeEach, expect, test, vi } from 'vitest';
import type { NamedMoment } from '../protocol/lessons';
import { Draft, type Kept } from './draft.svelte';
import { fileName } from './file-name';
import {
  asMarkdown,
  type Collected,
  type Lecture,
  lessonOf,
  MOST_MOMENTS,
  readLecture,
  withUsedPrograms,
} from './lecture';
import { keep, open, pack, unpack } from './packing';
import { Swipe, sizeOf } from './slide';
import { turnOf } from './slide-keys';

const named = (step: number, source = 'x = 1\n'): NamedMoment => ({
  at: { text: `after y is set #${step}`, place: { step, seq: step * 2, read_seq: step * 2 } },
  source,
  seed: 0,
  raises: null,
  answer: null,
});
const moment = (program: number, step: number, rest: Partial<Collected> = {}): Collected => ({
  program,
  at: `at line ${step}`,
  place: { step, seq: step, read_seq: step },
  caption: 'x * y gives 2.',
  text: '',
  question: null,
  hide: ['console'],
  ...rest,
});
const program = (source: string) => ({ source, seed: 0, raises: null });

beforeEach(() => localStorage.clear());

test('a program comes above its first moment, and a moment that goes back to it names it', () => {
  const lecture: Lecture = {
    title: ' Two programs ',
    learned: '',
    programs: [program('a'), program('b')],
    moments: [moment(1, 3, { text: 'Mine' }), moment(0, 1), moment(1, 4)],
  };
  const lesson = lessonOf(lecture, 'mine');
  expect(lesson.blocks.map((block) => [block.kind, 'program' in block ? block.program : null])).toEqual([
    ['program', null],
    ['step', 'program'],
    ['program', null],
    ['step', 'program2'],
    ['step', 'program'],
  ]);
  expect(lesson.blocks.flatMap((block) => (block.kind === 'program' ? [[block.name, block.source]] : []))).toEqual([
    ['program', 'b'],
    ['program2', 'a'],
  ]);
  expect(lesson.blocks[1]).toMatchObject({ text: 'Mine', at: { text: 'at line 3', place: { step: 3 } } });
  expect(lesson.blocks[3]).toMatchObject({ text: 'x * y gives 2.' });
  expect([lesson.title, lesson.learned]).toEqual(['Two programs', 'Two programs']);
});

test('a question asks for its value, and its moment has the sentence of the answer', () => {
  const question = { ask: 'w.grad', answer: { kind: 'number' as const, number: 4 } };
  const lecture = {
    title: '',
    learned: '',
    programs: [program('a')],
    moments: [moment(0, 2, { text: 'It adds up.', question })],
  };
  expect(lessonOf(lecture, 'mine').blocks[1]).toMatchObject({
    kind: 'predict',
    text: 'What will `w.grad` be?',
    right: 'It adds up.',
    question: { form: 'value', ask: 'w.grad', answer: { number: 4 } },
  });
});

test('a caption says the same as Markdown', () => {
  expect(asMarkdown('y = a * b')).toBe('y = a * b');
  expect(asMarkdown('`__init__` < 2 and *x')).toBe('\\`\\_\\_init\\_\\_\\` \\< 2 and \\*x');
});

test('a link holds a lecture; a damaged one holds none', async () => {
  const lecture = {
    title: 'é 漢',
    learned: 'L',
    programs: [program('x = 1\n')],
    moments: [moment(0, 1, { text: 'T' })],
  };
  const name = await pack(lecture);
  expect(name).toMatch(/^-1[\w-]+$/);
  expect(await unpack(name)).toEqual(lecture);
  for (const bad of ['-draft', '-1', '-1AAAA', '-2abc', name.slice(0, -4), `-1${'A'.repeat(200_000)}`, 'lesson'])
    expect(await unpack(bad)).toBeNull();
});

test.each([
  null,
  7,
  'x',
  [],
  { moments: 7 },
  { moments: [null, 7, {}] },
  { programs: [{ source: 'x' }], moments: [moment(0, 1)] },
])('rubbish is no moment: %o', (found) => {
  expect(readLecture(found).moments).toEqual([]);
});

test('parts that are damaged are left out, and there are no more than a lesson has', () => {
  const many = Array.from({ length: MOST_MOMENTS + 10 }, (_, step) => moment(0, step));
  const odd = [
    { ...moment(0, 1), program: 1 },
    { ...moment(0, 1), place: { step: -1, seq: 0, read_seq: 0 } },
  ];
  const read = readLecture({ title: 7, programs: [program('x')], moments: [...odd, ...many] });
  expect(read.title).toBe('');
  expect(read.moments.length).toBe(MOST_MOMENTS - 2);
  const question = { ask: 'x', answer: { kind: 'tensor', shape: [2], elements: [1, {}] } };
  expect(
    readLecture({ programs: [program('x')], moments: [{ ...moment(0, 1), question }] }).moments[0]!.question,
  ).toBeNull();
});

test('programs without a moment are left out', () => {
  const all = { title: '', learned: '', programs: ['a', 'b', 'c'].map(program), moments: [moment(2, 1), moment(0, 1)] };
  const { programs, moments } = withUsedPrograms(all);
  expect(programs.map(({ source }) => source)).toEqual(['c', 'a']);
  expect(moments.map((one) => one.program)).toEqual([0, 1]);
});

test('a draft is there again when the page is opened again, in its order', () => {
  const draft = new Draft();
  for (const step of [1, 2, 3]) draft.add(named(step), `Step ${step}.`, []);
  draft.add(named(1, 'other'), 'Other.', []);
  const [first, second, third] = draft.moments.map(({ id }) => id) as [number, number, number];
  draft.change(second, { text: 'Mine' });
  draft.move(third, 0);
  draft.move(first, 99);
  draft.title = 'T';
  const again = new Draft();
  expect(again.moments.map(({ place, text }) => [place.step, text])).toEqual([
    [3, ''],
    [2, 'Mine'],
    [1, ''],
    [1, ''],
  ]);
  expect(again.lecture).toEqual(draft.lecture);
  expect(again.lecture.programs.length).toBe(2);
});

test('what was removed comes back to its place', () => {
  const draft = new Draft();
  for (const step of [1, 2, 3]) draft.add(named(step), '', []);
  const before = draft.moments;
  draft.remove(before[1]!.id);
  expect(new Draft().moments.map(({ place }) => place.step)).toEqual([1, 3]);
  draft.restore();
  expect(draft.moments).toEqual(before);
});

test('two tabs that collect into one draft lose nothing of each other', () => {
  const [one, other] = [new Draft(), new Draft()];
  one.add(named(1), '', []);
  other.add(named(2), '', []);
  const [first] = one.moments;
  one.change(first!.id, { text: 'Mine' });
  other.title = 'T';
  other.add(named(1, 'other'), '', []);
  one.move(first!.id, 2);
  const steps = (draft: Draft) =>
    draft.moments.map(({ place, text, ...rest }) => [
      place.step,
      text,
      draft.programOf({ place, text, ...rest }).source,
    ]);
  const all = [
    [2, '', 'x = 1\n'],
    [1, '', 'other'],
    [1, 'Mine', 'x = 1\n'],
  ];
  expect(steps(one)).toEqual(all);
  expect(one.title).toBe('T');
  other.follow();
  expect(steps(other)).toEqual(all);
  other.remove(other.moments[1]!.id);
  one.follow();
  expect(one.moments.map(({ id }) => id)).toContain(first!.id);
  other.restore();
  expect(steps(other)).toEqual(all);
  for (const { id } of other.moments) other.remove(id);
  one.follow();
  expect(one.moments).toEqual([]);
});

test('a draft that is open outlasts a cleared storage', () => {
  const draft = new Draft();
  draft.add(named(1), '', []);
  localStorage.clear();
  draft.add(named(2), '', []);
  expect(new Draft().moments.map(({ place }) => place.step)).toEqual([1, 2]);
});

test('damaged storage is an empty draft', () => {
  for (const text of ['{', 'null', '"x"', `"${'x'.repeat(500_000)}"`]) {
    localStorage.setItem('backscope.lecture', text);
    expect(new Draft().moments).toEqual([]);
  }
});

test('the panels beside a moment are those that it was added with, and may be chosen', () => {
  const draft = new Draft();
  draft.add(named(1), '', ['timeline']);
  draft.add(named(2), '', []);
  const [first, second] = draft.moments as [Kept, Kept];
  draft.change(second.id, { hide: ['code', 'console'] });
  expect(new Draft().moments.map(({ hide }) => hide)).toEqual([['timeline'], ['code', 'console']]);
  const { blocks } = lessonOf(draft.lecture, 'mine');
  expect(blocks.flatMap((block) => (block.kind === 'step' ? [block.hide] : []))).toEqual([
    ['timeline'],
    ['code', 'console'],
  ]);
  expect(first.hide).toEqual(['timeline']);
});

test('unknown panels are not read, and a moment of before has those that slides had', () => {
  const hide = ['code', 'stage', 7, null, 'code'];
  const { hide: _none, ...before } = moment(0, 2);
  const read = readLecture({ programs: [program('x')], moments: [{ ...moment(0, 1), hide }, before] });
  expect(read.moments.map((one) => one.hide)).toEqual([['code'], ['console', 'inspector', 'debugger']]);
});

test('a finger that moves across turns a slide, one that scrolls does not', () => {
  const turns: number[] = [];
  const swipe = new Swipe((by) => turns.push(by));
  const at = (...places: [number, number][]) => places.map(([clientX, clientY]) => ({ clientX, clientY }));
  const move = (from: [number, number][], to: [number, number]) => {
    swipe.begin({ touches: at(...from) } as unknown as TouchEvent);
    swipe.end({ changedTouches: at(to) } as unknown as TouchEvent);
  };
  move([[200, 50]], [100, 60]);
  move([[100, 50]], [200, 20]);
  move([[100, 50]], [160, 100]);
  move([[100, 50]], [120, 50]);
  move(
    [
      [200, 50],
      [300, 50],
    ],
    [100, 50],
  );
  expect(turns).toEqual([1, -1]);
});

test('a finger on code that is wider than its room moves the code, and turns no slide', () => {
  const turns: number[] = [];
  const swipe = new Swipe((by) => turns.push(by));
  const code = document.createElement('pre');
  const word = code.appendChild(document.createElement('span'));
  document.body.append(code);
  const move = (wide: number, overflow: string) => {
    Object.defineProperty(code, 'scrollWidth', { value: wide, configurable: true });
    Object.defineProperty(code, 'clientWidth', { value: 300, configurable: true });
    code.style.overflowX = overflow;
    const touches = [{ clientX: 200, clientY: 50 }];
    swipe.begin({ touches, target: word } as unknown as TouchEvent);
    swipe.end({ changedTouches: [{ clientX: 50, clientY: 50 }] } as unknown as TouchEvent);
    return turns.splice(0);
  };
  expect(move(400, 'auto')).toEqual([]);
  expect(move(400, 'scroll')).toEqual([]);
  // What fits does not move, and neither does what is cut off.
  expect(move(300, 'auto')).toEqual([1]);
  expect(move(400, 'hidden')).toEqual([1]);
  code.remove();
});

test('letters get smaller as a sentence gets longer', () => {
  expect([20, 200, 1000].map(sizeOf)).toEqual(['short', 'long', 'longest']);
});

test('a file has a name that a lesson can have', () => {
  expect(fileName('Why gradients add up?')).toBe('why_gradients_add_up');
  expect(fileName('Où — 漢')).toBe('ou');
  expect(fileName('漢')).toBe('lecture');
  expect(fileName('a '.repeat(200))).toMatch(/^\w{1,60}$/);
});

test('arrow keys turn slides, but not where they mean something else', () => {
  const turn = (key: string, tag: string, init: KeyboardEventInit = {}, value = '') => {
    const target = document.body.appendChild(document.createElement(tag));
    if (target instanceof HTMLInputElement) target.value = value;
    let by: number | null = null;
    target.addEventListener('keydown', (event) => (by = turnOf(event)));
    target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...init }));
    target.remove();
    return by;
  };
  expect(turn('ArrowRight', 'div')).toBe(1);
  expect(turn('ArrowLeft', 'button')).toBe(-1);
  expect(turn('ArrowRight', 'input', {}, '3')).toBeNull();
  expect(turn('ArrowRight', 'input')).toBe(1);
  expect(turn('ArrowRight', 'textarea')).toBeNull();
  expect(turn('ArrowRight', 'div', { ctrlKey: true })).toBeNull();
  expect(turn('a', 'div')).toBeNull();
});

test('a lecture that a server keeps is opened by its id, as one in a link', async () => {
  const lecture: Lecture = { title: 'a', learned: '', programs: [program('x')], moments: [moment(0, 1)] };
  const requests: [string, unknown][] = [];
  let kept = '';
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    requests.push([path, init?.method]);
    if (init?.method === 'POST') kept = JSON.parse(String(init.body)).lecture;
    return Response.json(init?.method === 'POST' ? { lecture: 'A123456789012345', kept: 5 } : { lecture: kept });
  });
  try {
    expect(await keep(await pack(lecture))).toEqual({ name: '-sA123456789012345', kept: 5 });
    expect(await open('-sA123456789012345')).toEqual(lecture);
    expect(requests).toEqual([
      ['/api/lectures/kept', 'POST'],
      ['/api/lectures/kept/A123456789012345', undefined],
    ]);
  } finally {
    vi.unstubAllGlobals();
  }
});
