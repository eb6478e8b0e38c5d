// Texts of the table of steps.

import { counted } from '../format/number';
import type { Event } from '../protocol/events';
import { lineText } from '../protocol/file-lines';

export const title = 'Steps';
export const table = 'Steps as a table';
export const close = 'Close the table';
export const filter = 'Show';
export const step = 'step';
export const line = 'line';
export const happened = 'what happened';
export const subject = 'to what';
export const value = 'value';
export const none = 'No step of this kind so far.';
export const empty = 'No step so far.';
export const shown = (count: number, all: number) =>
  count === all ? counted(all, 'step') : `${counted(count)} of ${counted(all, 'step')}`;

export const filters = {
  all: 'All steps',
  forward: 'Tensors and ops',
  backward: 'Backward passes',
  grads: 'Changes of .grad',
  training: 'Optimizer steps',
  hooks: 'Hooks and checkpoints',
  said: 'Prints, warnings, errors',
} as const;

/** What a step is, by the event that made it. */
export const kinds: Partial<Record<Event['kind'], string>> = {
  tensor_created: 'tensor made',
  tensor_mutated: 'changed in place',
  requires_grad_changed: 'requires_grad set',
  op_applied: 'op ran',
  tangent_computed: 'tangent',
  backward_started: 'backward begins',
  node_started: 'ran backward',
  grad_accumulated: 'added to .grad',
  gradient_captured: 'gradient kept',
  grad_cleared: '.grad cleared',
  backward_finished: 'backward done',
  optimizer_stepped: 'optimizer step',
  hook_registered: 'hook hung',
  module_hook_registered: 'hook hung',
  hook_ran: 'hook ran',
  hook_removed: 'hook taken off',
  checkpoint_entered: 'checkpoint',
  recomputation_started: 'computed again',
  recomputation_finished: 'computed again',
  saved_tensor_unpacked: 'unpacked',
  output_printed: 'print',
  warning_raised: 'warning',
  error_raised: 'error',
  value_changed: 'you changed',
  program_finished: 'program over',
};
export const atLine = (line: number) => `line ${lineText(line)}`;
