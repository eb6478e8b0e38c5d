// The steps of a run for a comparison, without the numbers of tensors and nodes, which differ from run to run.

import { nameOf } from '../format/op-name';
import type { Summary } from '../protocol/events';
import type { Target } from '../scene/target';
import type { Events } from '../store/log';

export type What = 'value' | 'gradient' | '.grad' | 'parameter';
/** `key` is what has to be the same for two steps to be one; numbers of tensors and nodes are another run's business. */
export type Step = {
  seq: number;
  key: string;
  line: number | null;
  label: string;
  /** What is said in words: it is the same or it is not. */
  facets: readonly (readonly [name: Facet, text: string])[];
  values: readonly (readonly [what: What, name: string, value: Summary, target?: Target])[];
  target: Target | null;
  /** The op that made the node which this is about, by the seq of its event. */
  made: number | null;
};
export type Facet = 'argument' | 'tape' | 'printed' | 'warning' | 'error' | 'options' | 'ending';

/** More of a run than this is not compared. */
export const MOST_STEPS = 100_000;

type Maker = { seq: number; line: number | null; name: string; place: string };

const EVENTS_AT_ONCE = 128;

/** The steps of a run, at most 100,000; between some of its events, how far it is. */
export function* stepsOf(events: Events): Generator<number, Step[]> {
  const names = namesOf(events);
  const nodes = new Map<number, Maker>();
  const steps: Step[] = [];
  const called = (tensor: number | null) => (tensor === null ? '' : (names.get(tensor) ?? ''));
  let at = 0;
  for (const event of events) {
    if (at % EVENTS_AT_ONCE === 0) yield at / events.length;
    at += 1;
    if (steps.length >= MOST_STEPS) break;
    const add = (key: string, label: string, rest: Partial<Omit<Step, 'seq' | 'key' | 'label'>> = {}) =>
      steps.push({
        seq: event.seq,
        key,
        line: event.line,
        label,
        facets: [],
        values: [],
        target: null,
        made: null,
        ...rest,
      });
    switch (event.kind) {
      case 'tensor_created': {
        // Gradients are in the events that send and accumulate them.
        if (event.origin === 'grad' || event.origin === 'gradient') break;
        const { tensor, value } = event.info;
        const name = called(tensor);
        const target: Target = { type: 'tensor', tensor };
        add(`made ${event.origin}`, name || event.origin, { values: [['value', name, value]], target });
        break;
      }
      case 'op_applied': {
        const place = event.module_path ?? '';
        const { node } = event;
        if (node) nodes.set(node.node, { seq: event.seq, line: event.line, name: node.name, place });
        const written = event.inputs.filter(({ text }) => text !== null).map(({ name, text }) => `${name}=${text}`);
        add(
          `op ${event.op} ${place} ${event.during === null ? '' : 'again'}`,
          place ? `${nameOf(event.op, event.inputs)}, ${place}` : nameOf(event.op, event.inputs),
          {
            facets: [
              ['argument', written.join(', ')],
              ['tape', node?.name ?? ''],
            ],
            values: event.outputs.map((output) => ['value', called(output.tensor), output.value] as const),
            target: node ? { type: 'node', node: node.node } : { type: 'op', seq: event.seq },
          },
        );
        break;
      }
      case 'backward_started': {
        const options = `retain_graph=${event.retain_graph}, create_graph=${event.create_graph}`;
        const values = event.gradients.map((value) => ['gradient', '', value] as const);
        add(`pass ${event.api}`, event.api, { facets: [['options', options]], values });
        break;
      }
      case 'gradient_sent': {
        const maker = nodes.get(event.node);
        const name = maker?.name ?? '';
        add(`sent ${name} ${maker?.place ?? ''} ${event.input_nr}`, name, {
          line: maker?.line ?? event.line,
          made: maker?.seq ?? null,
          values: [['gradient', '', event.value]],
          target: { type: 'edge', node: event.node, inputNr: event.input_nr },
        });
        break;
      }
      case 'grad_accumulated': {
        const name = called(event.tensor);
        const target: Target = { type: 'tensor', tensor: event.tensor };
        add(`grad ${name}`, `${name}.grad`, { line: null, values: [['.grad', name, event.after]], target });
        break;
      }
      case 'grad_cleared': {
        const grad = `${called(event.tensor)}.grad`;
        const target: Target = { type: 'tensor', tensor: event.tensor };
        add(`cleared ${grad} ${event.how}`, event.how === 'none' ? `${grad} = None` : grad, { target });
        break;
      }
      case 'gradient_captured':
        add(`captured ${called(event.tensor)}`, called(event.tensor), { values: [['gradient', '', event.value]] });
        break;
      case 'hook_ran':
        add(`hook ${event.where} ${event.hook}`, event.hook, {
          values: event.after ? [['gradient', '', event.after]] : [],
        });
        break;
      case 'optimizer_stepped':
        add(`optimizer ${event.optimizer}`, `${event.optimizer}.step()`, {
          values: event.updates.map(
            ({ tensor, name, after }) =>
              ['parameter', name ?? called(tensor), after, { type: 'tensor', tensor }] as const,
          ),
        });
        break;
      case 'requires_grad_changed':
        add(`requires ${called(event.tensor)}`, `${called(event.tensor)}.requires_grad = ${event.requires_grad}`);
        break;
      case 'grad_mode_changed':
        add(`mode ${event.mode}`, event.mode);
        break;
      case 'output_printed':
        add(`print ${event.stream}`, 'print', { facets: [['printed', event.text.trimEnd()]] });
        break;
      case 'warning_raised':
        add(`warning ${event.category}`, event.category, { facets: [['warning', event.message]] });
        break;
      case 'error_raised':
        add('error', event.type, { facets: [['error', `${event.type}: ${event.message}`]] });
        break;
      case 'program_finished':
        add('finished', 'program', { facets: [['ending', event.status]] });
        break;
      default:
    }
  }
  return steps;
}

/** What tensors are called by the program, or by the module that has them as parameters: the first name that each had. */
function namesOf(events: Events): Map<number, string> {
  const names = new Map<number, string>();
  const name = (tensor: number, text: string) => {
    if (!names.has(tensor)) names.set(tensor, text);
  };
  for (const event of events) {
    if (event.kind === 'tensor_named') name(event.tensor, event.name);
    else if (event.kind === 'module_described')
      for (const one of event.parameters) name(one.tensor, `${event.path}.${one.name}`);
  }
  return names;
}
