// Moments: the steps of a run, each a few neighbouring events that a reader takes in as one.

import * as say from '../messages/timeline/moments';
import type { Event, TensorMutated } from '../protocol/events';
import { STEPS } from '../protocol/steps';

export type Phase = 'forward' | 'backward' | 'other';

/**
 * One step: the events `first` to `last`.  `kind` is that of the event that made it, and `grad_accumulated` for an
 * AccumulateGrad that ran; `node` and `call` are those of a backward pass; `title` distinguishes it from others at its line.
 */
export type Moment = {
  index: number;
  first: number;
  last: number;
  kind: Event['kind'];
  line: number | null;
  node: number | null;
  call: number | null;
  phase: Phase;
  title: string;
};

/** What an event does to the moments: it begins one, belongs to the one before, or to the one that comes. */
type Place = 'begins' | 'joins' | 'waits';

type Kind = Event['kind'];

const BEGINS: ReadonlySet<Kind> = new Set<Kind>(STEPS.begins);
const BEGINS_BETWEEN_NODES: ReadonlySet<Kind> = new Set<Kind>(STEPS.begins_between_nodes);
const WAITS_BETWEEN_NODES: ReadonlySet<Kind> = new Set<Kind>(STEPS.waits_between_nodes);
const FOLLOWS: ReadonlySet<Kind> = new Set<Kind>(STEPS.follows);

/** Divides a growing log into moments; those that are complete never change. */
export class Moments {
  readonly all: Moment[] = [];
  /** The first event of each moment, for searching. */
  readonly firsts: number[] = [];
  /** The node that is running, while its moment is open. */
  #running: number | null = null;
  #recomputing = false;
  #calls: number[] = [];
  #before: Event['kind'] | null = null;
  #error: string | null = null;
  /** What was last changed in place. */
  #mutated: TensorMutated | null = null;
  #waiting = 0;
  /** The reader changes something in the paused program: all that comes of it is one step. */
  #changing = false;

  /** Takes the next event. */
  add(event: Event, known: (node: number) => { name: string; line: number | null } | undefined): void {
    const place = this.#place(event);
    this.#follow(event);
    const last = this.all.at(-1);
    if (place === 'waits' || (FOLLOWS.has(event.kind) && last && last.last < event.seq - 1)) return;
    if (place === 'joins' && last) {
      this.#waiting = event.seq + 1;
      last.last = event.seq;
      if (event.kind === 'grad_accumulated' && last.kind === 'node_started') last.kind = event.kind;
      if (event.kind === 'tangent_computed' && event.op === null && last.kind === 'op_applied') last.kind = event.kind;
      return;
    }
    if (place === 'joins' && !belongsAlone(event)) return;
    const node = nodeOf(event);
    const made = node === null ? undefined : known(node);
    this.all.push({
      index: this.all.length,
      first: this.#waiting,
      last: event.seq,
      kind: event.kind,
      // A node has no line of its own while it runs: it shows the line that made it.
      line: event.line ?? made?.line ?? null,
      node: node ?? (event.kind === 'recomputation_finished' ? this.#running : null),
      call: this.#calls.at(-1) ?? ('call' in event ? event.call : null),
      phase: this.#phase(event),
      title: titleOf(event, made?.name ?? ''),
    });
    this.firsts.push(this.#waiting);
    this.#waiting = event.seq + 1;
  }

  #place(event: Event): Place {
    if (event.kind === 'value_changed') return 'begins';
    if (this.#changing && event.kind !== 'error_raised') return 'joins';
    if (BEGINS.has(event.kind)) return 'begins';
    if (BEGINS_BETWEEN_NODES.has(event.kind)) return this.#running === null ? 'begins' : 'joins';
    if (WAITS_BETWEEN_NODES.has(event.kind)) return this.#running === null ? 'waits' : 'joins';
    switch (event.kind) {
      case 'hook_registered':
        // Those of modules hang themselves on each call.
        return this.#running === null && !event.where.startsWith('module') ? 'begins' : 'joins';
      case 'tangent_computed':
        // The tangent of an op's result comes right after the op, and one that is given right after what takes it.
        return event.op === null && this.#before !== 'op_applied' && this.#running === null ? 'begins' : 'joins';
      case 'tensor_created':
        return this.#running === null && this.#calls.length === 0 ? 'begins' : 'joins';
      case 'op_applied':
        // What a checkpoint computes again goes step by step, as the first time.
        if (this.#recomputing) return 'begins';
        // What a hook computes on gradients belongs to the pass around it.
        return this.#running === null && (this.#calls.length === 0 || event.node !== null) ? 'begins' : 'joins';
      case 'grad_accumulated':
        return this.#running === event.node ? 'joins' : 'begins';
      case 'tensor_mutated':
        // `x.data = y` is a step; in `x.data -= y` it is the end of one, and adds nothing to it.
        if (event.op === 'data' && this.#running === null && !isSameValue(event, this.#mutated)) return 'begins';
        return this.#running !== null || this.#before === 'optimizer_stepped' ? 'joins' : 'waits';
      case 'backward_finished':
        return event.failed ? 'joins' : 'begins';
      case 'error_raised':
        return this.#error === `${event.type}\n${event.message}` ? 'joins' : 'begins';
      case 'program_finished':
        return event.status === 'stopped' || event.status === 'cut' ? 'begins' : 'joins';
      default:
        return 'joins';
    }
  }

  #follow(event: Event): void {
    if (event.kind === 'value_changed') this.#changing = true;
    else if (event.kind === 'resumed' || event.kind === 'program_finished') this.#changing = false;
    if (event.kind === 'node_started') this.#running = event.node;
    else if (event.kind === 'node_finished' || event.kind === 'backward_started' || event.kind === 'error_raised') {
      this.#running = null;
    } else if (event.kind === 'backward_finished') {
      this.#running = null;
      this.#calls = this.#calls.filter((call) => call !== event.call);
    }
    if (event.kind === 'recomputation_started') this.#recomputing = true;
    else if (event.kind === 'recomputation_finished') this.#recomputing = false;
    if (event.kind === 'backward_started') this.#calls.push(event.call);
    if (event.kind === 'tensor_mutated') this.#mutated = event;
    else this.#before = event.kind;
    if (event.kind === 'error_raised') this.#error = `${event.type}\n${event.message}`;
    else if (event.kind === 'op_applied' || event.kind === 'backward_started') this.#error = null;
  }

  #phase(event: Event): Phase {
    switch (event.kind) {
      case 'output_printed':
      case 'warning_raised':
      case 'error_raised':
      case 'optimizer_stepped':
      case 'grad_cleared':
      case 'program_finished':
      case 'value_changed':
        return 'other';
      case 'backward_finished':
        return 'backward';
      default:
        return this.#calls.length > 0 ? 'backward' : 'forward';
    }
  }

  /** The moment that an event belongs to, -1 before the first. */
  ofSeq(seq: number): number {
    return lastAt(this.firsts, seq);
  }
}

/** The index of the last entry that is at most `limit` in an ascending list, -1 where there is none. */
export function lastAt(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The end of a run is a moment of its own when nothing was before it to join. */
function belongsAlone(event: Event): boolean {
  return event.kind === 'program_finished';
}

function isSameValue(event: TensorMutated, before: TensorMutated | null): boolean {
  if (event.tensor !== before?.tensor || event.storage !== before.storage) return false;
  return JSON.stringify(event.value) === JSON.stringify(before.value);
}

function nodeOf(event: Event): number | null {
  switch (event.kind) {
    case 'op_applied':
      return event.node?.node ?? null;
    case 'backward_started':
      return event.root_nodes[0] ?? null;
    case 'node_started':
    case 'recomputation_started':
    case 'grad_accumulated':
    case 'gradient_captured':
    case 'hook_registered':
    case 'hook_removed':
    case 'hook_ran':
    case 'error_raised':
      return event.node;
    default:
      return null;
  }
}

function titleOf(event: Event, node: string): string {
  switch (event.kind) {
    case 'tensor_created':
      return event.origin;
    case 'op_applied':
      return event.op;
    case 'tensor_mutated':
      return say.inPlace(event.op);
    case 'requires_grad_changed':
      return event.requires_grad ? say.requiresGradOn : say.requiresGradOff;
    case 'checkpoint_entered':
      return say.checkpoint(event.function);
    case 'recomputation_started':
      return say.checkpointRunsAgain;
    case 'recomputation_finished':
      return say.checkpointHasRunAgain;
    case 'backward_started':
      return event.api === 'grad' ? 'autograd.grad()' : 'backward()';
    case 'backward_finished':
      return say.backwardPassDone;
    case 'node_started':
    case 'grad_accumulated':
      return node || say.node;
    case 'hook_registered':
    case 'module_hook_registered':
    case 'hook_removed':
    case 'hook_ran':
      return say.hook(event.hook);
    case 'gradient_captured':
      return say.gradientKept;
    case 'tangent_computed':
      return say.tangentComputed;
    case 'saved_tensor_unpacked':
      return say.savedTensorUnpacked;
    case 'grad_cleared':
      return event.by || say.gradCleared;
    case 'optimizer_stepped':
      return `${event.optimizer}.step()`;
    case 'output_printed':
      return say.printed(event.text.trim().slice(0, 40));
    case 'value_changed':
      return say.changed(event.target);
    case 'warning_raised':
      return event.category;
    case 'error_raised':
      return event.type;
    case 'program_finished':
      return say.program(event.status);
    default:
      return event.kind.replaceAll('_', ' ');
  }
}
