// Parameters that no backward pass reached, and where the way to them ends.

import type { BackwardStarted, Event, OpApplied } from '../protocol/events';
import type { History } from '../timeline/history';
import type { Cause, Cut } from './note';

/** A leaf that got no gradient in the run, and why. */
export type Unreached = { tensor: number; cause: Cause };

/** The origin of a tensor: an op, or `.data` of a tensor. */
type Origin = { op: OpApplied } | { data: number; seq: number; line: number | null };

/** Follows a log, to find what was not reached at its end. */
export class Reach {
  readonly #reached = new Set<number>();
  /** The parameters of modules and of optimizers. */
  readonly #parameters = new Set<number>();
  readonly #stepped = new Set<number>();
  readonly #created = new Set<number>();
  /** The tensors that ops took. */
  readonly #used = new Set<number>();
  /** Those that were gone before an op took them, as a weight in whose place a module has that of another. */
  readonly #dropped = new Set<number>();
  readonly #origins = new Map<number, Origin[]>();
  readonly #firstIn = new Map<number, number>();
  /** The backward passes that were free to reach any leaf. */
  readonly #passes: BackwardStarted[] = [];
  /** torch.func takes gradients of other tensors in place of a module's own. */
  #transforms = false;
  #last: { event: BackwardStarted; finished: number } | null = null;

  constructor(private readonly history: History) {}

  /** Takes the next event. */
  take(event: Event): void {
    switch (event.kind) {
      case 'tensor_created': {
        const { tensor, storage } = event.info;
        if (event.origin === 'Parameter') this.#parameters.add(tensor);
        if (event.info.is_leaf) this.#created.add(tensor);
        const first = this.#firstIn.get(storage);
        if (first === undefined) this.#firstIn.set(storage, tensor);
        else if (event.origin === 'data') this.#note(tensor, { data: first, seq: event.seq, line: event.line });
        break;
      }
      case 'module_described':
        for (const { tensor } of event.parameters) this.#parameters.add(tensor);
        break;
      case 'op_applied':
        if (event.during !== null) break;
        for (const { tensor } of event.inputs) if (tensor !== null) this.#used.add(tensor);
        for (const { tensor, storage } of event.outputs) {
          this.#note(tensor, { op: event });
          if (!this.#firstIn.has(storage)) this.#firstIn.set(storage, tensor);
        }
        break;
      case 'tensor_released':
        if (!this.#used.has(event.tensor)) this.#dropped.add(event.tensor);
        break;
      case 'transform_entered':
        this.#transforms = true;
        break;
      case 'backward_started':
        if (event.api === 'backward' && event.inputs === null) this.#passes.push(event);
        break;
      case 'backward_finished': {
        const pass = this.#passes.findLast(({ call }) => call === event.call);
        if (pass && !event.failed) this.#last = { event: pass, finished: event.seq };
        break;
      }
      case 'grad_accumulated':
        this.#reached.add(event.tensor);
        break;
      case 'gradient_captured':
        if (event.tensor !== null) this.#reached.add(event.tensor);
        break;
      case 'optimizer_stepped':
        for (const { tensor } of event.updates) this.#stepped.add(tensor);
        for (const tensor of event.unchanged) this.#stepped.add(tensor);
        break;
    }
  }

  /** The end of the last pass; null without one that was free to reach every leaf. */
  get pass(): number | null {
    return this.#last?.finished ?? null;
  }

  /** Finds the tensors without a gradient among the parameters of optimizers, else those of modules and leaves behind a cut. */
  *found(): Generator<void, Unreached[]> {
    if (!this.#last) return [];
    const { event, finished } = this.#last;
    const wanted = (tensor: number) => {
      const own = this.history.tensors.get(tensor);
      if (this.#reached.has(tensor) || this.#dropped.has(tensor)) return false;
      return own?.isLeaf === true && own.requiresGrad.at(finished) === true;
    };
    const isTraining = this.#stepped.size > 0;
    if (this.#transforms && !isTraining) return [];
    const parameters = [...(isTraining ? this.#stepped : this.#parameters)].filter(wanted);
    const leaves = isTraining
      ? []
      : [...this.#created].filter(
          (tensor) => !this.#parameters.has(tensor) && this.#isNamed(tensor, event.seq) && wanted(tensor),
        );
    if (parameters.length + leaves.length === 0) return [];
    const cuts = yield* this.#cuts(event);
    const made = (tensor: number): Unreached[] => {
      if (cuts.has(tensor)) return [{ tensor, cause: cuts.get(tensor)! }];
      return [{ tensor, cause: this.#used.has(tensor) ? 'apart' : 'unused' }];
    };
    return [
      ...parameters.flatMap(made),
      // Of other leaves a program may make more than it differentiates.
      ...leaves.flatMap(made).filter(({ cause }) => cause !== null && cause !== 'apart'),
    ];
  }

  /** By each tensor that the roots of a pass were computed from, the op behind which it lies; null where it lies behind none. */
  *#cuts({ roots, seq }: BackwardStarted): Generator<void, Map<number, Cut | null>> {
    const found = new Map<number, Cut | null>();
    const queue: { tensor: number; cut: Cut | null; before: number }[] = roots.map((tensor) => ({
      tensor,
      cut: null,
      before: seq,
    }));
    for (let at = 0; at < queue.length; at += 1) {
      if (at % 1024 === 0) yield;
      const { tensor, cut, before } = queue[at]!;
      // What is reached on the tape, too, is not behind a cut.
      if (found.has(tensor) && (cut !== null || found.get(tensor) === null)) continue;
      found.set(tensor, cut);
      for (const origin of this.#origins.get(tensor) ?? []) {
        if ('data' in origin) {
          if (origin.seq >= before) continue;
          const here = cut ?? { how: 'data', op: '.data', seq: origin.seq, line: origin.line, tensor };
          queue.push({ tensor: origin.data, cut: here, before: origin.seq });
        } else if (origin.op.seq < before) {
          const here = cut ?? this.#cutAt(origin.op, tensor);
          for (const input of origin.op.inputs)
            if (input.tensor !== null && input.tensor !== tensor)
              queue.push({ tensor: input.tensor, cut: here, before: origin.op.seq });
        }
      }
    }
    return found;
  }

  /** Returns the cut where an op takes a tensor off the tape, null where it does not. */
  #cutAt({ seq, line, op, inputs, outputs }: OpApplied, tensor: number): Cut | null {
    const output = outputs.find((one) => one.tensor === tensor);
    if (!output || output.requires_grad) return null;
    const tracked = inputs.some(
      (one) => one.tensor !== null && this.history.tensors.get(one.tensor)?.requiresGrad.at(seq) === true,
    );
    if (!tracked) return null;
    const mode = this.history.modes.at(seq) ?? 'grad';
    const how = op.startsWith('detach') ? 'detach' : mode === 'no_grad' || mode === 'inference' ? mode : 'op';
    return { how, op, seq, line, tensor };
  }

  #isNamed(tensor: number, seq: number): boolean {
    return this.history.tensors.get(tensor)?.names.at(seq) !== undefined;
  }

  #note(tensor: number, origin: Origin): void {
    const origins = this.#origins.get(tensor);
    if (origins) origins.push(origin);
    else this.#origins.set(tensor, [origin]);
  }
}
