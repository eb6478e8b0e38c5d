// A note as one plain sentence.

import * as say from '../messages/next';
import type { Idle, Note, Update } from './note';

/** Names that are written one by one. */
const MOST_NAMES = 2;

/** `w`, `w and b`, `w, b and 3 more`; a module for all of its parameters. */
function namesText(names: readonly string[]): string {
  const [first, second] = names;
  if (first === undefined || second === undefined) return first ?? say.someTensors;
  return names.length > MOST_NAMES ? say.others(first, second, names.length - MOST_NAMES) : say.and(first, second);
}

function updateText({ optimizer, number }: Update): string {
  return say.oneStep(optimizer, number);
}

/** The note in words. */
export function sentenceOf(note: Note): string {
  switch (note.kind) {
    case 'notCleared': {
      const { from, to, names, tensors } = note;
      const between =
        from.optimizer === to.optimizer
          ? say.twoSteps(from.optimizer, from.number, to.number)
          : say.and(updateText(from), updateText(to));
      const isOne = tensors.length === 1 && names.length === 1;
      return say.notCleared(namesText(names), isOne, between);
    }
    case 'notReached':
      return say.notReached(namesText(note.names), causeText(note));
    case 'noEffect':
      return noEffectText(note);
    case 'notFinite':
      return onsetText(note);
  }
}

function causeText({ cause, names }: Extract<Note, { kind: 'notReached' }>): string {
  if (cause === null) return '';
  if (cause === 'unused') return say.usedByNone(names.length === 1);
  if (cause === 'apart') return say.inNoLoss(names.length === 1);
  const { how, op, line } = cause;
  if (how === 'detach') return say.cutsTheWay('detach()', line);
  if (how === 'data') return say.cutsTheWay('.data', line);
  if (how === 'op') return say.hasNoGradient(op, line);
  return say.ranUnder(how === 'no_grad' ? 'no_grad()' : 'inference_mode()', line);
}

function idleText(idle: Idle): string {
  switch (idle.because) {
    case 'rate':
      return say.rateIsZero;
    case 'early':
      return say.noPassBefore;
    case 'cleared':
      return say.emptiedAt(idle.line);
    case 'used':
      return say.noGradientSince;
  }
}

function noEffectText({ optimizer, numbers, of, idle }: Extract<Note, { kind: 'noEffect' }>): string {
  const why = idleText(idle);
  const [first, second] = numbers;
  if (second === undefined) return say.changedNothing(say.oneStep(optimizer, first!), why);
  if (numbers.length === of) return say.noneChanged(optimizer, of, why);
  if (numbers.length === 2) return say.changedNothing(say.twoSteps(optimizer, first!, second), why);
  return say.changedNothing(say.stepsOf(optimizer, numbers.length, of, first!), why);
}

function onsetText({ onset, line }: Extract<Note, { kind: 'notFinite' }>): string {
  const what = say.words[onset.what];
  const { name, by } = onset;
  if (onset.in === 'gradient') return say.firstIn(what, say.gradientOf(onset.by, line), '');
  if (onset.in === 'update') return say.firstIn(what, name ?? say.aParameter, say.afterStep(onset.by, onset.number));
  if (by === null) return say.firstIn(what, name ?? say.aTensor, say.madeAt(line));
  return name === null ? say.firstFrom(what, by, line) : say.firstIn(what, name, say.fromOp(by, line));
}
