// A step as a row of the table: where, what happened, to what, and the value that came of it.

import { Naming } from '../caption/naming';
import { brief, gradient } from '../format/number';
import * as say from '../messages/table';
import type { Event } from '../protocol/events';
import { heldOutputs } from '../protocol/outputs';
import type { Target } from '../scene/target';
import type { Moment } from '../timeline/moments';
import { RunState } from '../timeline/state';
import type { Timeline } from '../timeline/timeline';

export type Row = {
  index: number;
  line: number | null;
  happened: string;
  subject: string;
  value: string;
  /** What it is about, for the rest of the page. */
  target: Target | null;
};

const VALUE_CHARS = 24;

/** The row of a moment. */
export function rowOf(timeline: Timeline, moment: Moment): Row {
  const events = timeline.eventsOf(moment);
  const main = events.find((event) => event.kind === moment.kind);
  const naming = new Naming(new RunState(timeline.history, moment.last, moment.index, moment.line, events));
  return {
    index: moment.index,
    line: moment.line,
    happened: say.kinds[moment.kind] ?? moment.kind.replaceAll('_', ' '),
    subject: main ? subjectOf(main, naming, moment) : moment.title,
    value: main ? resultOf(main, events) : '',
    target: main ? targetOf(main, moment) : null,
  };
}

function subjectOf(event: Event, naming: Naming, moment: Moment): string {
  switch (event.kind) {
    case 'tensor_created':
      return naming.variable(event.info.tensor) ?? moment.title;
    case 'op_applied': {
      const made = event.outputs[0] ? naming.variable(event.outputs[0].tensor) : null;
      const text = naming.expression(event.op, event.inputs);
      return made && !event.in_place ? `${made} = ${text}` : text;
    }
    case 'tensor_mutated':
    case 'requires_grad_changed':
    case 'tangent_computed':
      return naming.tensor(event.tensor);
    case 'grad_accumulated':
    case 'grad_cleared':
      return naming.grad(event.tensor);
    case 'gradient_captured':
      return event.tensor === null ? naming.node(event.node) : naming.tensor(event.tensor);
    case 'backward_started':
      return event.roots.map((root) => naming.tensor(root)).join(', ');
    case 'output_printed':
      return event.text.trim();
    case 'warning_raised':
      return `${event.category}: ${event.message}`;
    case 'error_raised':
      return `${event.type}: ${event.message}`;
    case 'value_changed':
      return `${event.target} = ${event.expression}`;
    default:
      return moment.title;
  }
}

function resultOf(event: Event, events: readonly Event[]): string {
  switch (event.kind) {
    case 'tensor_created':
      return brief(event.info.value, VALUE_CHARS);
    case 'op_applied':
      return heldOutputs(event)
        .map(({ value }) => brief(value, VALUE_CHARS))
        .join(', ');
    case 'tangent_computed':
      return brief(event.value, VALUE_CHARS);
    case 'backward_started':
      return event.gradients.map((one) => gradient(one, VALUE_CHARS)).join(', ');
    case 'node_started':
      return events
        .flatMap((one) =>
          one.kind === 'gradient_sent' && one.node === event.node ? [gradient(one.value, VALUE_CHARS)] : [],
        )
        .join(', ');
    case 'grad_accumulated':
      return gradient(event.after, VALUE_CHARS);
    case 'gradient_captured':
      return gradient(event.value, VALUE_CHARS);
    case 'grad_cleared':
      return event.value === null ? 'None' : brief(event.value, VALUE_CHARS);
    case 'hook_ran': {
      const seen = event.after ?? event.before;
      return seen ? gradient(seen, VALUE_CHARS) : '';
    }
    default:
      return '';
  }
}

function targetOf(event: Event, moment: Moment): Target | null {
  switch (event.kind) {
    case 'tensor_created':
      return { type: 'tensor', tensor: event.info.tensor };
    case 'tensor_mutated':
    case 'requires_grad_changed':
    case 'tangent_computed':
    case 'grad_accumulated':
    case 'grad_cleared':
      return { type: 'tensor', tensor: event.tensor };
    case 'gradient_captured':
    case 'hook_registered':
    case 'hook_removed':
    case 'hook_ran':
      // A hook on a leaf, which has no node.
      if (event.node === null) return event.tensor === null ? null : { type: 'tensor', tensor: event.tensor };
      return { type: 'node', node: event.node };
    case 'op_applied':
      return event.node ? { type: 'node', node: event.node.node } : { type: 'op', seq: event.seq };
    default:
      return moment.node === null ? null : { type: 'node', node: moment.node };
  }
}
