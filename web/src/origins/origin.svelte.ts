// A question where an element of a gradient comes from: its tree, what is being fetched, the row the reader is at.

import { reasonOf } from '../format/reason';
import * as say from '../messages/origins';
import { askPast } from '../run/api';
import type { Step as Edge, Pass, Place, Row } from './tree';
import { Tree } from './tree';

const MOST = 8;
/** Steps that are followed at once. */
const DEPTH = 50;
const WITHOUT_SERVER = say.sharesNeedServer;

export type Subject = {
  /** What the element is of, such as `x.grad`. */
  name: string;
  dtype: string;
  element: readonly number[];
  passes: readonly Pass[];
  /** What else there is to say of how the element came to be, in sentences. */
  notes: readonly string[];
};

/** Where the events of a pass begin: after `backward_started`, when its graph is whole. */
export type StartOf = (call: number) => number | null;

export class Origin {
  readonly tree: Tree;
  /** Counts what is known and open, so that what reads the tree is derived again. */
  #revision = $state(0);
  active = $state<string | null>(null);
  /** The row that is being fetched for. */
  busy = $state<string | null>(null);
  problem = $state<string | null>(null);

  constructor(
    readonly subject: Subject,
    readonly session: string | null,
    readonly startOf: StartOf,
  ) {
    this.tree = new Tree(subject.element, subject.passes);
    const last = subject.passes.at(-1);
    if (last) void this.toggle(`p${last.call}`, this.tree.place(last));
  }

  readonly rows: Row[] = $derived.by(() => {
    this.#revision;
    return this.tree.rows();
  });
  /** Counts what is known, and is read by what is derived from the tree itself. */
  get revision(): number {
    return this.#revision;
  }

  /** The edges that the element at the active row takes. */
  readonly trail: Edge[] = $derived.by(() => {
    this.#revision;
    return this.active === null ? [] : this.tree.trail(this.active);
  });

  /** Opens a row, asking for what is behind it where that is not known, or closes it. */
  async toggle(id: string, place: Place | null): Promise<void> {
    this.active = id;
    const row = this.tree.rows().find((one) => one.id === id);
    if (row?.open) this.tree.setOpen(id, false);
    else if (place === null) this.tree.setOpen(id, true);
    else {
      if (!this.tree.known(place)) await this.#fetch(id, place);
      if (this.tree.known(place)) this.tree.openPath(id);
    }
    this.#revision += 1;
  }

  async #fetch(id: string, place: Place): Promise<void> {
    this.problem = null;
    const seq = this.startOf(place.call);
    if (this.session === null || seq === null) {
      this.problem = WITHOUT_SERVER;
      return;
    }
    if (this.busy !== null) return;
    this.busy = id;
    try {
      const answer = await askPast(this.session, seq, {
        command: 'trace_gradient',
        node: place.node,
        output_nr: place.output,
        element: [...place.element],
        depth: DEPTH,
        most: MOST,
      });
      if (answer.answer === 'gradient_traced') this.tree.add(place.call, answer.path);
      else if (answer.answer === 'refused') this.problem = answer.reason;
    } catch (error) {
      this.problem = reasonOf(error);
    } finally {
      this.busy = null;
    }
  }
}
