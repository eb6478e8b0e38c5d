// Protects: questions are asked for once the reader rests and once per moment, answers to what was left are dropped.

import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Files } from '../protocol/file-lines';
import type { Answer, Question } from '../run/api';
import { sessionOf } from '../run/lent';
import type { Run } from '../run/run.svelte';
import type { Target } from '../scene/target';

vi.mock('../run/api', async (original) => ({
  ...(await original<typeof import('../run/api')>()),
  fetchAnswer: vi.fn(),
  fetchQuestions: vi.fn(),
}));
// Files share their modules: others load these without the mock.
afterAll(() => vi.resetModules());
vi.resetModules();
const { Why } = await import('./why.svelte');
const { fetchAnswer, fetchQuestions, ServerError } = await import('../run/api');

const questions = vi.mocked(fetchQuestions);
const answers = vi.mocked(fetchAnswer);
const w: Target = { type: 'tensor', tensor: 3 };
const about = { tensor: 3, node: null };
const question = (key: string, subject = about) => ({ key, text: `Why ${key}?`, about: subject }) as Question;
const answer = { cause: 'c', fix: 'f', lines: [], nodes: [7], tensors: [3], evidence: [], wrong_fix: null } as Answer;

let run: Run;
let why: InstanceType<typeof Why>;

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetAllMocks();
  questions.mockResolvedValue([question('grad_none')]);
  answers.mockResolvedValue(answer);
  run = {
    connection: { session: 's' },
    forgotten: false,
    lent: null,
    seq: 9,
    log: { events: [], files: new Files() },
  } as unknown as Run;
  why = new Why();
});

afterEach(() => vi.useRealTimers());

/** The reader rests at a moment. */
async function rest(seq: number, targets: readonly (Target | null)[] = [w]): Promise<void> {
  why.consider(run, seq, targets);
  await vi.runAllTimersAsync();
}

it('asks nothing of moments that are passed by', async () => {
  for (const seq of [1, 2, 3]) why.consider(run, seq, [w]);
  await vi.runAllTimersAsync();
  expect(questions.mock.calls).toEqual([['s', 3, about]]);
  expect(why.questions.map(({ key }) => key)).toEqual(['grad_none']);
});

it('knows the questions of a moment that the reader comes back to', async () => {
  await rest(1);
  await rest(2);
  why.consider(run, 1, [w]);
  expect(why.questions).toHaveLength(1);
  expect(questions).toHaveBeenCalledTimes(2);
});

it('names a question once that arises of the run and of what acts in it', async () => {
  await rest(1, [null, w]);
  expect(questions).toHaveBeenCalledTimes(2);
  expect(why.questions).toHaveLength(1);
});

it('drops questions that come after the reader has left', async () => {
  let late: (found: Question[]) => void = () => {};
  questions.mockImplementationOnce(() => new Promise((resolve) => (late = resolve)));
  await rest(1);
  questions.mockResolvedValue([question('grad_zero')]);
  await rest(2);
  late([question('grad_none')]);
  await vi.runAllTimersAsync();
  expect(why.questions.map(({ key }) => key)).toEqual(['grad_zero']);
});

it('has no questions about what is not there yet', async () => {
  questions.mockRejectedValue(new ServerError('There is no tensor 3 at event 1.', 422));
  await rest(1);
  expect([why.questions, why.problem]).toEqual([[], null]);
});

it('notices that the server has forgotten the run, and has nobody to ask from then on', async () => {
  questions.mockRejectedValue(new ServerError('gone', 404));
  await rest(1);
  expect(run.forgotten).toBe(true);
  expect(sessionOf(run)).toBeNull();
  run.lent = 'lent';
  expect(sessionOf(run)).toBe('lent');
});

it('shows an answer and lights what it is about, until it is put away', async () => {
  await why.ask(run, { key: 'grad_none', about, seq: 9 }, 'Why?');
  expect(why.shown).toMatchObject({ key: 'grad_none', text: 'Why?', unasked: false });
  expect([[...why.lit!.nodes], [...why.lit!.tensors]]).toEqual([[7], [3]]);
  why.leave(4);
  expect(why.shown).not.toBeNull();
  expect([why.putAway(), why.lit, why.putAway()]).toEqual([true, null, false]);
});

it('shows what was asked last, whichever answer comes first', async () => {
  let late: (found: Answer) => void = () => {};
  answers.mockImplementationOnce(() => new Promise((resolve) => (late = resolve)));
  const first = why.ask(run, { key: 'grad_none', about, seq: 9 });
  await why.ask(run, { key: 'memory', about, seq: 9 });
  late(answer);
  await first;
  expect(why.shown?.key).toBe('memory');
  expect(why.asking).toBeNull();
});

it('does not show what comes by itself once its step is left, and takes it away with it', async () => {
  await why.ask(run, { key: 'error', about, seq: 8 }, '', true);
  expect(why.shown).toBeNull();
  await why.ask(run, { key: 'error', about, seq: 9 }, '', true);
  expect(why.shown?.unasked).toBe(true);
  why.leave(4);
  expect(why.shown).toBeNull();
});

it('says why there is no answer', async () => {
  answers.mockRejectedValue(new ServerError('The log lacks what the answer needs.', 422));
  await why.ask(run, { key: 'memory', about, seq: 9 });
  expect([why.problem, why.asking, why.shown]).toEqual(['The log lacks what the answer needs.', null, null]);
});
