// Finds what acts in a moment, which the inspector shows while nothing is selected.

import type { Event } from '../protocol/events';
import type { Target } from '../scene/target';
import type { EventLog } from '../store/log';
import type { Moment } from '../timeline/moments';
import type { Mentions } from './mentions';

/** The node or tensor that the events of one moment are about; null where there is none, as for a print. */
export function actorOf(events: readonly Event[]): Target | null {
  if (events.some((event) => event.kind === 'value_changed')) return changedBy(events);
  const owner = ownerOf(events);
  if (owner !== null) return { type: 'tensor', tensor: owner };
  for (const event of events) {
    switch (event.kind) {
      case 'op_applied': {
        const output = event.outputs[0];
        return output ? { type: 'tensor', tensor: output.tensor } : null;
      }
      case 'tensor_created':
        return { type: 'tensor', tensor: event.info.tensor };
      case 'grad_accumulated':
      case 'grad_cleared':
      case 'tensor_mutated':
      case 'requires_grad_changed':
        return { type: 'tensor', tensor: event.tensor };
      case 'backward_started': {
        const root = event.root_nodes[0];
        return root === undefined ? null : { type: 'node', node: root };
      }
      case 'node_started': {
        // An AccumulateGrad node matters for the leaf that it adds to.
        const added = events.find((other) => other.kind === 'grad_accumulated');
        if (added?.kind === 'grad_accumulated') return { type: 'tensor', tensor: added.tensor };
        return { type: 'node', node: event.node };
      }
      case 'hook_registered':
      case 'hook_removed':
      case 'hook_ran':
        if (event.tensor !== null && event.node === null) return { type: 'tensor', tensor: event.tensor };
        return event.node === null ? null : { type: 'node', node: event.node };
      case 'saved_tensor_unpacked':
        return { type: 'node', node: event.node };
      case 'tangent_computed':
        return { type: 'tensor', tensor: event.tensor };
      case 'error_raised':
        return event.node === null ? null : { type: 'node', node: event.node };
    }
  }
  return null;
}

/** The tensor that was changed through its `.data`, which no reader knows by itself. */
function ownerOf(events: readonly Event[]): number | null {
  const changed = events.find((event) => event.kind === 'op_applied' && event.in_place);
  const output = changed?.kind === 'op_applied' ? changed.outputs[0] : undefined;
  if (!output || output.base !== null) return null;
  const seen = events.find((event) => event.kind === 'tensor_mutated' && event.through === output.tensor);
  return seen?.kind === 'tensor_mutated' ? seen.tensor : null;
}

/** What the page shows where nothing is selected; `now` where it acts in the step itself. */
export type Actor = { target: Target; now: boolean };

// A print or a name says nothing to look into, so the page keeps showing what acted last.
const LOOK_BACK = 50;

/** What acted in a moment, or last before it. */
export function latestActor(log: EventLog, moments: readonly Moment[], cursor: number): Actor | null {
  for (let index = cursor; index >= Math.max(0, cursor - LOOK_BACK); index -= 1) {
    const moment = moments[index];
    const found = moment ? actorOf(log.slice(moment.first, moment.last + 1)) : null;
    if (found) return { target: found, now: index === cursor };
  }
  return null;
}

/** The tensor that the reader changed in the paused program. */
function changedBy(events: readonly Event[]): Target | null {
  const last = events.findLast((event) => event.kind === 'tensor_named' || event.kind === 'tensor_mutated');
  return last && 'tensor' in last && last.tensor !== null ? { type: 'tensor', tensor: last.tensor } : null;
}

/** What a line of the program made: the node where one was recorded, else the tensor. */
export function madeBy(events: readonly Event[]): Target | null {
  for (const event of events.toReversed()) {
    if (event.kind === 'op_applied' && event.node) return { type: 'node', node: event.node.node };
    const actor = actorOf([event]);
    if (actor) return actor;
  }
  return null;
}

/** The line of the program that a target comes from; null where it is not known. */
export function lineOf(mentions: Mentions, target: Target): number | null {
  const end = Number.POSITIVE_INFINITY;
  if (target.type === 'module') {
    return lineWhere(mentions.log.of(['module_entered']), ({ call }) => call === target.call);
  }
  if (target.type === 'function') {
    return lineWhere(mentions.log.of(['function_entered']), ({ call }) => call === target.call);
  }
  if (target.type === 'loop') {
    return lineWhere(mentions.log.of(['round_started']), ({ loop }) => loop === target.loop);
  }
  if (target.type === 'op') return mentions.log.at(target.seq)?.line ?? null;
  if (target.type === 'tensor') {
    const birth = mentions.ofTensor(target.tensor, end).find((event) => {
      if (event.kind === 'tensor_created') return event.info.tensor === target.tensor;
      return event.kind === 'op_applied' && event.outputs.some((output) => output.tensor === target.tensor);
    });
    return birth?.line ?? null;
  }
  return originOf(mentions, target.node);
}

/** The line of the first event that fits. */
function lineWhere<E extends Event>(events: Iterable<E>, fits: (event: E) => boolean): number | null {
  for (const event of events) if (fits(event)) return event.line;
  return null;
}

/** The line that made a node: that of its op, or for an AccumulateGrad node that of its leaf. */
export function originOf(mentions: Mentions, node: number): number | null {
  const birth = mentions.ofNode(node, Number.POSITIVE_INFINITY)[0];
  if (birth?.kind === 'node_created' && birth.tensor !== null)
    return lineOf(mentions, { type: 'tensor', tensor: birth.tensor });
  return birth?.line ?? null;
}
