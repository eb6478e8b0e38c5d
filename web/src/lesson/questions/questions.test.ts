// Protects: each kind of question is answered by pointer and by keyboard, names what it is, and gives its answer once it is checked.

import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MirrorLayout } from '../../layout/mirror';
import { Slices } from '../../layout/pace/slices';
import { goldens } from '../../protocol/goldens';
import type { NamedNode } from '../../protocol/lessons';
import { Run } from '../../run/run.svelte';
import { buildScene } from '../../scene/scene';
import { narrow } from '../../widgets/media.svelte';
import { Asking } from '../../workbench/asking.svelte';
import type { Outcome } from '../outcome';
import ChoiceQuestion from './ChoiceQuestion.svelte';
import NodeQuestion from './NodeQuestion.svelte';
import OrderQuestion from './OrderQuestion.svelte';
import Question from './Question.svelte';
import ValueQuestion from './ValueQuestion.svelte';

// x has two uses, which a pass adds up.
const [, events] = goldens().find(([name]) => name === '40_fan_in')!;

let bench: ReturnType<typeof benchAt>;
let stage: HTMLElement;

/** The parts of a page that questions need, with a recorded run right before its backward pass. */
function benchAt() {
  const run = Run.recorded();
  run.take(events);
  run.settle();
  const layout = new MirrorLayout(run.log, new Slices({ whole: true }), 'wide');
  const visit = vi.fn();
  const picture = () => ({
    scene: buildScene(run.state, layout, { selection: null, hover: null }),
    seen: { rect: { x: 0, y: 0, width: 800, height: 600 }, scale: 1 },
  });
  const asking = new Asking(vi.fn());
  asking.over = stage;
  return { run, layout, asking, playback: { playing: false }, view: { picture, visit } };
}

function nodeCalled(name: string): NamedNode {
  for (const [node, known] of bench.run.timeline.history.nodes)
    if (known.name === name) return { node, name, step: null };
  throw new Error(`The run has no node ${name}.`);
}

const right: Outcome['verdict'] = { right: true, text: '' };
const wrong: Outcome['verdict'] = { right: false, text: '' };

beforeEach(() => {
  stage = document.body.appendChild(document.createElement('section'));
  bench = benchAt();
});
afterEach(() => stage.remove());

const props = (more: object) => ({ bench: bench as never, outcome: null, onanswer: vi.fn(), ...more });

function value(ask: string, answer: object, more: object = {}) {
  const moment = { step: bench.run.length - 1, seq: 0, read_seq: 0 };
  return props({ question: { form: 'value', ask, within: null, answer }, moment, ...more });
}

const seven = { kind: 'number', number: 7 };

it('takes a value that is typed, and says how it reads one that it computes', async () => {
  const given = value('1 + 2', seven);
  render(ValueQuestion, given as never);
  const user = userEvent.setup();
  const field = screen.getByRole('textbox', { name: '1 + 2, your answer' });
  expect(document.activeElement).toBe(field);
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Check' }).disabled).toBe(true);
  await user.type(field, '2 * 3 + 1');
  expect(screen.getByRole('status').textContent).toBe('Read as 7');
  await user.keyboard('{Enter}');
  expect(given.onanswer).toHaveBeenCalledExactlyOnceWith({ form: 'value', value: seven, typed: '2 * 3 + 1' });
});

it('says what cannot be read, beside the field, and takes it as no answer', async () => {
  const given = value('1 + 2', seven);
  render(ValueQuestion, given as never);
  const field = screen.getByRole('textbox');
  await userEvent.setup().type(field, 'x{Enter}');
  expect(screen.getByRole('status').textContent).toContain('x is a name');
  expect(field.getAttribute('aria-invalid')).toBe('true');
  expect(given.onanswer).not.toHaveBeenCalled();
  await userEvent.setup().type(field, '{Backspace}7');
  expect(field.getAttribute('aria-invalid')).toBe('false');
});

it('does not take a value twice', async () => {
  const outcome: Outcome = {
    given: { form: 'value', value: { kind: 'number', number: 4 }, typed: '4' },
    verdict: wrong,
    revealed: false,
  };
  const given = value('1 + 2', seven, { outcome });
  render(ValueQuestion, given as never);
  expect(screen.getByText('not right')).toBeTruthy();
  const user = userEvent.setup();
  await user.type(screen.getByRole('textbox'), '{Enter}');
  expect(given.onanswer).not.toHaveBeenCalled();
  await user.type(screen.getByRole('textbox'), '2');
  expect(screen.queryByText('not right')).toBeNull();
  await user.keyboard('{Enter}');
  expect(given.onanswer).toHaveBeenCalledWith(expect.objectContaining({ typed: '42' }));
});

it('has the field on the stage where the stage shows what the question is about', async () => {
  const given = value('x.grad', seven);
  const { unmount, container } = render(ValueQuestion, given as never);
  expect(within(container).queryByRole('textbox')).toBeNull();
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Go to the field' }));
  await vi.waitFor(() => expect(bench.view.visit).toHaveBeenCalled());
  const field = within(stage).getByRole('textbox', { name: 'x.grad, your answer' });
  expect(document.activeElement).toBe(field);
  expect(stage.textContent).toContain('.grad');
  await user.keyboard('7{Enter}');
  expect(given.onanswer).toHaveBeenCalledWith({ form: 'value', value: seven, typed: '7' });
  unmount();
  expect(stage.children).toHaveLength(0);
});

it('shows the answer that was given once the right one is seen', () => {
  const outcome: Outcome = {
    given: { form: 'value', value: seven as never, typed: '7.0' },
    verdict: right,
    revealed: true,
  };
  render(ValueQuestion, value('1 + 2', seven, { outcome }) as never);
  expect(screen.queryByRole('textbox')).toBeNull();
  expect(screen.getByText(/You answered 7\.0/).textContent).toContain('right');
});

it('keeps the field in the panel of a narrow page, and marks its place on the stage', async () => {
  narrow.matches = true;
  try {
    const { container } = render(ValueQuestion, value('x.grad', seven) as never);
    const field = within(container).getByRole('textbox', { name: 'x.grad, your answer' });
    expect(document.activeElement).not.toBe(field);
    expect(stage.textContent).toMatch(/\.grad\s+\?/);
    await userEvent.setup().type(field, '12');
    expect(stage.textContent).toMatch(/\.grad\s+12/);
  } finally {
    narrow.matches = false;
  }
});

function choice(more: object = {}) {
  const options = ['AddBackward0', 'MulBackward0', 'None'].map((label) => ({ expression: label, label }));
  const moment = { step: bench.run.length - 1, seq: 0, read_seq: 0 };
  return props({ ask: 'f', options, answer: 1, given: null, moment, ...more });
}

it('takes an option by pointer, by arrow keys and by its number', async () => {
  const given = choice();
  render(ChoiceQuestion, given as never);
  const user = userEvent.setup();
  const group = screen.getByRole('group', { name: 'Options' });
  expect(
    within(group)
      .getAllByRole('radio')
      .map((one) => one.getAttribute('value')),
  ).toEqual(['0', '1', '2']);
  await user.click(screen.getByRole('radio', { name: 'None' }));
  await user.click(screen.getByRole('button', { name: 'Check' }));
  expect(given.onanswer).toHaveBeenLastCalledWith(2);
  await user.keyboard('2{Enter}');
  expect(given.onanswer).toHaveBeenLastCalledWith(1);
});

it('leaves numbers to fields, and those beyond the options to the page', async () => {
  render(ChoiceQuestion, choice() as never);
  const field = document.body.appendChild(document.createElement('input'));
  field.focus();
  const user = userEvent.setup();
  await user.keyboard('2');
  expect(field.value).toBe('2');
  field.remove();
  await user.keyboard('9');
  expect(screen.getAllByRole<HTMLInputElement>('radio').some((one) => one.checked)).toBe(false);
});

it('marks the option that was chosen, and the right one once it is seen', () => {
  const outcome: Outcome = { given: { form: 'choice', index: 2 }, verdict: wrong, revealed: true };
  render(ChoiceQuestion, choice({ outcome, given: 2 }) as never);
  expect(screen.getByRole('radio', { name: 'None not right' })).toBeTruthy();
  expect(screen.getByRole('radio', { name: 'MulBackward0 the right answer' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Check' })).toBeNull();
});

it('marks on the stage what is chosen, and the verdict on it', async () => {
  const given = choice({ ask: 'type(y.grad_fn).__name__' });
  const { rerender, unmount } = render(ChoiceQuestion, given as never);
  expect(stage.textContent).toMatch(/y\s+\?/);
  await vi.waitFor(() => expect(bench.view.visit).toHaveBeenCalled());
  await userEvent.setup().click(screen.getByRole('radio', { name: 'None' }));
  expect(stage.textContent).toMatch(/y\s+None/);
  await rerender({ ...given, given: 2, outcome: { given: null, verdict: wrong, revealed: true } } as never);
  expect(stage.textContent).toMatch(/None\s+not right/);
  unmount();
  expect(stage.children).toHaveLength(0);
});

it('offers True and False where the answer is one of them', async () => {
  const question = { form: 'value', ask: 'y.requires_grad', within: null, answer: { kind: 'bool', bool: true } };
  const block = { question, at: { text: 'at the end', place: null } };
  const given = props({ block });
  const { rerender } = render(Question, given as never);
  expect(screen.queryByRole('textbox')).toBeNull();
  const user = userEvent.setup();
  await user.click(screen.getByRole('radio', { name: 'False' }));
  await user.click(screen.getByRole('button', { name: 'Check' }));
  const answer = { form: 'value', value: { kind: 'bool', bool: false }, typed: 'False' } as const;
  expect(given.onanswer).toHaveBeenCalledExactlyOnceWith(answer);
  await rerender({ ...given, outcome: { given: answer, verdict: wrong, revealed: true } } as never);
  expect(screen.getByRole('radio', { name: 'False not right' })).toBeTruthy();
  expect(screen.getByRole('radio', { name: 'True the right answer' })).toBeTruthy();
});

it('takes a node that is pointed at on the stage', async () => {
  const answer = nodeCalled('AddBackward0');
  const given = props({ question: { form: 'node', ask: 'next node', answer } });
  const { unmount } = render(NodeQuestion, given as never);
  flushSync();
  bench.asking.take!({ type: 'module', call: 1 });
  flushSync();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Check' }).disabled).toBe(true);
  bench.asking.take!({ type: 'saved', node: answer.node, slot: 'self' });
  flushSync();
  expect(screen.getByRole('status').textContent).toBe('Chosen: AddBackward0 of y');
  await userEvent.setup().click(screen.getByRole('button', { name: 'Check' }));
  expect(given.onanswer).toHaveBeenCalledExactlyOnceWith({ form: 'node', node: answer.node });
  unmount();
  expect(bench.asking.take).toBeNull();
  expect(stage.children).toHaveLength(0);
});

it('takes the node of a leaf, and of a tensor that a node made', () => {
  render(NodeQuestion, props({ question: { form: 'node', ask: 'leaf x', answer: null } }) as never);
  flushSync();
  const { tensors } = bench.run.timeline.history;
  const named = (name: string) => [...tensors.values()].find(({ names }) => names.entries.includes(name))!.tensor;
  bench.asking.take!({ type: 'tensor', tensor: named('x') });
  flushSync();
  expect(screen.getByRole('status').textContent).toBe('Chosen: AccumulateGrad of x');
  bench.asking.take!({ type: 'tensor', tensor: named('y') });
  flushSync();
  expect(screen.getByRole('status').textContent).toBe('Chosen: AddBackward0 of y');
});

it('takes a node from the list, which it brings into view', async () => {
  const answer = nodeCalled('AddBackward0');
  const given = props({ question: { form: 'node', ask: 'next node', answer } });
  render(NodeQuestion, given as never);
  const user = userEvent.setup();
  await user.selectOptions(screen.getByRole('combobox'), 'AddBackward0 of y');
  expect(bench.view.visit).toHaveBeenCalledWith(bench.layout.itemOfNode(answer.node));
  await user.click(screen.getByRole('button', { name: 'Check' }));
  expect(given.onanswer).toHaveBeenCalledWith({ form: 'node', node: answer.node });
});

function order(more: object = {}) {
  const answer = ['AddBackward0', 'MulBackward0', 'AccumulateGrad'].map(nodeCalled);
  return { answer, ...props({ question: { form: 'order', ask: [], answer }, ...more }) };
}

it('takes an order of nodes that are clicked on the stage', async () => {
  const { answer, ...given } = order();
  render(OrderQuestion, given as never);
  flushSync();
  for (const { node } of answer) bench.asking.take!({ type: 'node', node });
  flushSync();
  expect(screen.getByRole('status').textContent).toMatch(/^AccumulateGrad of x is number 3 of 3$/);
  expect(stage.textContent?.match(/\d/g)?.sort()).toEqual(['1', '2', '3']);
  await userEvent.setup().click(screen.getByRole('button', { name: 'Check' }));
  expect(given.onanswer).toHaveBeenCalledExactlyOnceWith({ form: 'order', nodes: answer.map(({ node }) => node) });
});

it('takes a number away from a node that is clicked again, and nothing for a node that is not asked for', () => {
  const { answer, ...given } = order();
  render(OrderQuestion, given as never);
  flushSync();
  bench.asking.take!({ type: 'node', node: answer[0]!.node });
  bench.asking.take!({ type: 'node', node: answer[0]!.node });
  flushSync();
  expect(screen.getByRole('status').textContent).toBe('AddBackward0 of y has no number');
  const strange = [...bench.run.timeline.history.nodes.keys()].find((node) => !answer.some((one) => one.node === node));
  bench.asking.take!({ type: 'node', node: strange ?? 9999 });
  flushSync();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Check' }).disabled).toBe(true);
});

it('puts nodes in order by the keyboard, which stays at the node', async () => {
  const { answer, ...given } = order();
  render(OrderQuestion, given as never);
  const user = userEvent.setup();
  const names = () => screen.getAllByRole('listitem').map((row) => row.querySelector('.name')!.textContent);
  expect(names()).not.toEqual(['AddBackward0 of y', expect.stringContaining('MulBackward0'), 'AccumulateGrad of x']);
  for (const name of [/^MulBackward0/, /^AddBackward0/, /^AccumulateGrad/]) {
    screen.getByRole('button', { name: new RegExp(`${name.source}.*no number yet`) }).focus();
    await user.keyboard('{Enter}');
  }
  const add = screen.getByRole('button', { name: 'AddBackward0 of y is number 2 of 3' });
  add.focus();
  await user.keyboard('{ArrowUp}');
  expect(document.activeElement?.textContent).toBe('AddBackward0 of y');
  expect(screen.getByRole('status').textContent).toBe('AddBackward0 of y is number 1 of 3');
  await user.keyboard('{ArrowUp}');
  expect(screen.getByRole('status').textContent).toBe('AddBackward0 of y is number 1 of 3');
  await user.click(screen.getByRole('button', { name: 'Check' }));
  expect(given.onanswer).toHaveBeenCalledWith({ form: 'order', nodes: answer.map(({ node }) => node) });
});

it('moves a node by its buttons, and keeps the keyboard at the button', async () => {
  const { answer: _, ...given } = order();
  render(OrderQuestion, given as never);
  const user = userEvent.setup();
  for (const name of [/^MulBackward0/, /^AddBackward0/, /^AccumulateGrad/])
    await user.click(screen.getByRole('button', { name: new RegExp(`${name.source}.*no number yet`) }));
  const down = screen.getByRole('button', { name: /^MulBackward0 .*: later$/ });
  down.focus();
  await user.keyboard('{Enter}');
  expect(document.activeElement?.getAttribute('aria-label')).toMatch(/^MulBackward0 .*: later$/);
  await user.keyboard('{Enter}');
  expect(screen.getByRole('status').textContent).toMatch(/^MulBackward0 .* is number 3 of 3$/);
});
