// Where NaN or infinity came from finite numbers first.

import { nameOf as opName } from '../format/op-name';
import type { Event, Summary } from '../protocol/events';
import { isBad } from '../protocol/finite';
import type { EventLog } from '../store/log';
import type { FirstNans } from '../timeline/first-nan';
import type { History } from '../timeline/history';
import type { Onset } from './note';

/** Follows a log. Infinity alone is no matter as long as no gradient, no parameter and nothing that is differentiated gets it. */
export class Onsets {
  #harmed = false;

  constructor(
    private readonly log: EventLog,
    private readonly history: History,
    private readonly nans: FirstNans,
  ) {}

  /** Takes the next event; of gradients that were sent it knows. */
  take(event: Event): void {
    this.#harmed ||= harms(event, this.history);
  }

  /** The first of them, once the log is read. */
  get found(): { event: Event; onset: Onset; tensor: number | null; line: number | null } | null {
    const harmed = this.#harmed || this.nans.sent;
    for (const seq of this.nans.seqs) {
      const event = this.log.at(seq)!;
      const found = onsetOf(event, this.history);
      if (!found) continue;
      // What a program puts into a tensor itself is meant: `best = torch.tensor(float('inf'))`.
      const isGiven = event.kind === 'tensor_created';
      if (harmed ? !isGiven || found.onset.what === 'NaN' : !isGiven && found.onset.what === 'NaN')
        return { event, ...found };
    }
    return null;
  }
}

function harms(event: Event, history: History): boolean {
  switch (event.kind) {
    case 'grad_accumulated':
      return isBad(event.after);
    case 'backward_started':
      return event.roots.some((root) => {
        const value = history.tensors.get(root)?.values.at(event.seq);
        return value !== undefined && isBad(value);
      });
    case 'optimizer_stepped':
      return event.updates.some(({ after }) => isBad(after));
    default:
      return false;
  }
}

function what({ nan_count }: Summary): Onset['what'] {
  return nan_count > 0 ? 'NaN' : 'Infinity';
}

function onsetOf(event: Event, history: History): { onset: Onset; tensor: number | null; line: number | null } | null {
  const nameAt = (tensor: number) => history.tensors.get(tensor)?.names.entries[0] ?? null;
  switch (event.kind) {
    case 'op_applied': {
      const output = event.outputs.find(({ value }) => isBad(value));
      if (!output) return null;
      const onset: Onset = {
        what: what(output.value),
        in: 'value',
        name: nameAt(output.tensor),
        by: opName(event.op, event.inputs),
      };
      return { onset, tensor: output.tensor, line: event.line };
    }
    case 'tensor_created': {
      const { tensor, value } = event.info;
      return { onset: { what: what(value), in: 'value', name: nameAt(tensor), by: null }, tensor, line: event.line };
    }
    case 'tensor_mutated': {
      const { tensor, value, op } = event;
      return {
        onset: { what: what(value), in: 'value', name: nameAt(tensor), by: opName(op) },
        tensor,
        line: event.line,
      };
    }
    case 'gradient_sent': {
      const node = history.nodes.get(event.node);
      const onset: Onset = { what: what(event.value), in: 'gradient', name: null, by: node?.name ?? '' };
      return { onset, tensor: null, line: node?.line ?? null };
    }
    case 'optimizer_stepped': {
      const update = event.updates.find(({ after }) => isBad(after));
      if (!update) return null;
      const onset: Onset = {
        what: what(update.after),
        in: 'update',
        name: update.name,
        by: event.optimizer,
        number: event.number,
      };
      return { onset, tensor: update.tensor, line: event.line };
    }
    default:
      return null;
  }
}
