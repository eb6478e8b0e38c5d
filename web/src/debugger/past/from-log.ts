// The values of a variable that holds a tensor, of its `.grad` or of an element, at each pass of a line, as the log has them.

import { brief, element } from '../../format/number';
import * as say from '../../messages/past-questions';
import type { Pass } from './log-points.svelte';
import { elementAt, readTyped, tensorNamed } from './named';
import { begins, type Recorded } from './running-lines';

/** The elements of a tensor that are written out at most. */
const MOST_ELEMENTS = 16;
const MOST_PASSES = 1000;
/** Gives the one number of a tensor. */
const ITEM = /\.item\(\)\s*$/;

/** The values at the passes of a line that made a step; null for an expression that the log has no value of. */
export function fromLog(run: Recorded, line: number, expression: string): Pass[] | null {
  const typed = readTyped(expression.replace(ITEM, ''));
  if (!typed) return null;
  const passes: Pass[] = [];
  let known = false;
  for (let index = 0; index < run.timeline.moments.length && passes.length < MOST_PASSES; index += 1) {
    if (!begins(run, index, line)) continue;
    const seq = run.timeline.moments[index]!.first - 1;
    const tensor = tensorNamed(run.log, typed.name, seq);
    const text = tensor === null ? null : textOf(run, tensor, typed, seq);
    known ||= text !== null;
    passes.push({ moment: index, text: text ?? say.notInTheRecording, refused: text === null });
  }
  return known ? passes : null;
}

function textOf({ timeline }: Recorded, tensor: number, typed: NonNullable<ReturnType<typeof readTyped>>, seq: number) {
  const history = timeline.history.tensors.get(tensor);
  if (!history) return null;
  if (typed.grad && !history.grads.at(seq)?.value) return 'None';
  const value = typed.grad ? history.grads.at(seq)!.value! : history.values.at(seq);
  if (!value) return null;
  if (!typed.element) return value.values.length > 0 ? brief(value, MOST_ELEMENTS) : null;
  const index = elementAt(typed.element, value.shape);
  const found = index === null ? undefined : value.values[index];
  return found === undefined ? null : element(found, value.dtype);
}
