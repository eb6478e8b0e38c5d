// The mirror layout: where every leaf, op and edge of a run is.  What is placed never moves.
//
// The program is cut into chunks (a forward pass, what runs between two passes, the ops that a backward pass with
// create_graph applied) and each is laid out once, when it is complete.  Forward passes are side by side, one column
// for each; what a backward pass recorded is to the right of its column, or below it, as a further mirror, upside down.

import type { Event, GraphRebased, OpApplied } from '../protocol/events';
import type { EventLog } from '../store/log';
import { isCut } from './cut';
import { Draft, type Homes } from './draft';
import type { Checkpoint, Item, Link } from './graph';
import { Stamps } from './group/stamps';
import type { Breadth } from './label';
import { layDraft } from './laid';
import { Lone } from './lone';
import { Followers } from './pace/followers';
import type { Pace } from './pace/slices';
import { Turns, type Work } from './pace/turns';
import { type Chunk, type Column, Placed } from './placed';
import { Checkpoints } from './program/checkpoints';
import { NamesSoFar } from './program/names-so-far';
import { Passes } from './program/passes';
import type { Rect } from './rect';

/** Items that are placed together, outside of modules and loops and inside of one. */
const MOST_ITEMS = 240;
const MOST_IN_PLACES = 6000;
/** How long nothing has to come until what is open is placed; a call of a module or a loop is better placed as a whole. */
const REST_MS = 400;
const REST_IN_PLACE_MS = 2000;

/** Follows a log and places what it brings: at once, or in slices where it is given a pace. */
export class MirrorLayout {
  readonly #placed: Placed;
  readonly #known = new NamesSoFar();
  readonly #stamps = new Stamps();
  readonly #checkpoints = new Checkpoints();
  readonly #followers = new Followers();
  readonly #homes: Homes;
  /** Ops outside any graph, for a program that has none. */
  readonly #skipped: OpApplied[] = [];
  readonly #rebases: GraphRebased[] = [];
  /** The last op that was not placed: it is, where its result gets a tangent. */
  #unplaced: OpApplied | null = null;
  #read = 0;
  #draft: Draft | null = null;
  #second: Draft | null = null;
  readonly #passes = new Passes();
  /** The names that a recorded pass gives come right after it: its chunk is open until something else comes. */
  #awaitsNames = false;
  /** The leaves that are placed alone for as long as nothing uses them. */
  readonly #lone = new Lone();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stop = () => {};
  readonly #turns: Turns;

  constructor(
    readonly log: EventLog,
    pace: Pace | null = null,
    readonly breadth: Breadth = 'wide',
  ) {
    this.#placed = new Placed(breadth === 'upright');
    this.#homes = {
      tensors: new Map(),
      nodes: new Map(),
      leafOfNode: new Map(),
      waiting: new Map(),
      rebased: new Map(),
      requiresGrad: (tensor) => this.#known.needsGrad(tensor),
      columnOf: (item) => this.#placed.chunkOf(item)?.column ?? -1,
    };
    this.#turns = new Turns(
      pace,
      () => this.#reading(),
      (late) => this.#rest(late),
    );
    this.#update();
    this.#stop = log.onAppend(() => this.#update());
  }

  /** Follows the log no longer. */
  close(): void {
    clearTimeout(this.#timer);
    this.#stop();
    this.#turns.stop();
  }

  get items(): readonly Item[] {
    return this.#placed.items;
  }

  get links(): readonly Link[] {
    return this.#placed.links;
  }

  get chunks(): readonly Chunk[] {
    return this.#placed.chunks;
  }

  get columns(): readonly Column[] {
    return this.#placed.columns;
  }

  get bounds(): Rect {
    return this.#placed.bounds;
  }

  /** How many events of the log were read. */
  get read(): number {
    return this.#read;
  }

  /** Whether events have come that were not looked at yet. */
  get behind(): boolean {
    return this.#turns.behind;
  }

  /** Calls `listener` when more was placed than the log's last events brought at once; returns what ends that. */
  onChange(listener: () => void): () => void {
    return this.#followers.add(listener);
  }

  /** The item of a node's op; for an AccumulateGrad its leaf. */
  itemOfNode(node: number): Item | null {
    const leaf = this.#homes.leafOfNode.get(node);
    if (leaf !== undefined) return this.cardsOf(leaf)[0] ?? null;
    const item = this.#homes.nodes.get(node);
    return item && item.chunk >= 0 ? item : null;
  }

  /** The item that a tensor comes from. */
  itemOfTensor(tensor: number): Item | null {
    const item = this.#homes.tensors.get(tensor)?.item;
    return item && item.chunk >= 0 ? item : null;
  }

  /** The item whose op an event applied again. */
  itemOfRerun(seq: number): Item | null {
    const item = this.#checkpoints.itemOf(seq);
    return item && item.chunk >= 0 ? item : null;
  }

  /** The ops of a checkpoint. */
  checkpointOf(checkpoint: number): Checkpoint | null {
    return this.#checkpoints.get(checkpoint);
  }

  /** The link that the gradient of a node's input takes. */
  linkOf(node: number, inputNr: number): Link | null {
    return this.#placed.linkOf(node, inputNr);
  }

  /** The leaf whose AccumulateGrad a node is. */
  leafOf(node: number): number | null {
    return this.#homes.leafOfNode.get(node) ?? null;
  }

  /** The cards on which a tensor is shown, first to last. */
  cardsOf(tensor: number): readonly Item[] {
    return this.#placed.cardsOf(tensor);
  }

  /** The column in force at an event. */
  columnAt(seq: number): Column | null {
    return this.columns.findLast((column) => column.shown <= seq) ?? null;
  }

  /** Places what is still open, as when no event comes for a while. */
  commit(): void {
    for (const _ of this.#commit());
  }

  *#commit(): Work {
    clearTimeout(this.#timer);
    const before = this.chunks.at(-1);
    yield* this.#leaveNamed();
    yield* this.#closeOpen();
    if (this.chunks.at(-1) !== before) this.#followers.notify();
  }

  *#closeOpen(): Work {
    yield* this.#closeSecond();
    yield* this.#closeDraft();
  }

  *#closeSecond(): Work {
    yield* this.#close(this.#second);
    this.#second = null;
  }

  *#closeDraft(): Work {
    yield* this.#close(this.#draft);
    this.#draft = null;
  }

  #update(): void {
    clearTimeout(this.#timer);
    this.#turns.start();
  }

  *#reading(): Work {
    while (this.#read < this.log.length) {
      const work = this.#take(this.log.at(this.#read)!);
      if (work) yield* work;
      this.#read += 1;
      if (this.#read < this.log.length) yield;
    }
  }

  #rest(late: boolean): void {
    if (!this.behind) this.#leave();
    if (late) this.#followers.notifyOf(this.chunks.at(-1), this.behind, this.items.length);
  }

  /** What is open is placed when nothing comes. */
  #leave(): void {
    const isOpen = this.#draft || this.#second || this.#homes.waiting.size > 0;
    // Nothing comes while a debugger holds the program.
    if (this.log.at(-1)?.kind === 'paused') this.commit();
    else if (!this.log.finished && isOpen) {
      this.#timer = setTimeout(() => this.commit(), this.#known.places.now ? REST_IN_PLACE_MS : REST_MS);
    }
  }

  /** Takes an event; what it takes long to do, which is rarely anything, is given back. */
  #take(event: Event): Work | null {
    if (this.#awaitsNames && event.kind !== 'tensor_named' && event.kind !== 'tensor_released') {
      this.#awaitsNames = false;
      if (this.#second) return this.#takeAfter(this.#closeSecond(), event);
    }
    this.#known.add(event);
    this.#checkpoints.add(event);
    switch (event.kind) {
      case 'tensor_created':
        this.#homes.waiting.set(event.info.tensor, { seq: event.seq, info: event.info });
        break;
      case 'node_created':
        if (event.tensor !== null) this.#homes.leafOfNode.set(event.node, event.tensor);
        break;
      case 'op_applied':
        return this.#apply(event);
      case 'graph_rebased':
        this.#homes.rebased.set(event.tensor, event);
        this.#rebases.push(event);
        break;
      case 'tangent_computed':
        if (event.op !== null && this.#unplaced?.outputs.some((output) => output.tensor === event.tensor)) {
          return this.#applyLate(this.#unplaced);
        }
        break;
      case 'output_printed':
        this.#rebases.length = 0;
        break;
      case 'backward_started':
        this.#rebases.length = 0;
        return this.#start(event);
      case 'backward_finished':
        this.#passes.finish(event.seq);
        this.#awaitsNames = true;
        break;
      case 'program_finished':
        return this.#leaveOver(event);
      default:
        break;
    }
    return null;
  }

  *#takeAfter(work: Work, event: Event): Work {
    yield* work;
    const more = this.#take(event);
    if (more) yield* more;
  }

  *#applyLate(event: OpApplied): Work {
    (yield* this.#mainDraft(event, false)).apply(event);
    this.#unplaced = null;
    yield* this.#cap();
  }

  /** Places a tracked op; of the others those that the graph leads to, so that one sees where it is cut. */
  *#apply(event: OpApplied): Work {
    // An in-place change of a view gives its base this op's node; the views' new grad_fns hold only after the op.
    const renewed = this.#rebases.splice(0).filter((other) => this.#homes.rebased.get(other.tensor) === other);
    // A view of a changed base gets its node at its next use, without an op in place.
    const rebases = event.in_place ? renewed : [];
    const own = rebases.filter((other) => other.node.node === event.node?.node);
    for (const { tensor } of rebases) this.#homes.rebased.delete(tensor);
    this.#unplaced = null;
    if (!event.node && !isCut(event, this.#known, this.#homes, this.#passes)) {
      this.#unplaced = event;
      for (const info of event.outputs) {
        if (!event.in_place) this.#homes.waiting.set(info.tensor, { seq: event.seq, info });
      }
      if (this.columns.length === 0 && this.#skipped.length < MOST_ITEMS && this.#known.modeNow !== 'function')
        this.#skipped.push(event);
      return;
    }
    this.#withdraw();
    if (this.#checkpoints.repeats) {
      this.#repeat(event);
      return;
    }
    const isSecond = event.during !== null && this.#passes.depth > 0 && !this.#checkpoints.again;
    const draft = isSecond ? this.#secondDraft(event) : yield* this.#mainDraft(event, event.node !== null);
    const item = draft.apply(event);
    if (!isSecond) item.place = this.#known.places.now;
    this.#checkpoints.take(item);
    for (const { tensor } of own) this.#homes.tensors.set(tensor, this.#homes.tensors.get(event.outputs[0]!.tensor)!);
    for (const other of rebases) if (!own.includes(other)) this.#homes.rebased.set(other.tensor, other);
    yield* this.#cap();
  }

  /** An op that a checkpoint applies again belongs to the item of the first time. */
  #repeat(event: OpApplied): void {
    const item = this.#checkpoints.repeat(event);
    if (!item) return;
    event.outputs.forEach((output, i) => {
      this.#homes.tensors.set(output.tensor, { item, output: Math.min(i, item.outputs.length - 1) });
    });
  }

  *#start(event: Extract<Event, { kind: 'backward_started' }>): Work {
    this.#passes.start(event.create_graph);
    yield* this.#closeDraft();
    const columns = new Set<Column>();
    this.#passes.order = 1;
    for (const node of event.root_nodes) {
      const item = this.itemOfNode(node);
      const chunk = item && this.#placed.chunkOf(item);
      if (!chunk) continue;
      this.#passes.order = Math.max(this.#passes.order, chunk.order + 1);
      columns.add(this.columns[chunk.column]!);
    }
    // A pass within another leaves the gradients of that one in sight.
    if (event.parent === null) for (const column of columns) column.calls.push(event.seq, event.call);
  }

  /** The chunk that a forward op goes to; a tracked op after a backward pass begins the next column. */
  *#mainDraft(event: Event, tracked: boolean): Generator<void, Draft> {
    const { ended } = this.#passes;
    if (tracked && ended !== null) {
      yield* this.#closeDraft();
      this.#passes.ended = null;
      this.#placed.begin(event.seq, ended);
    }
    if (this.columns.length === 0) this.#placed.begin(0);
    this.#draft ??= new Draft(this.#homes, this.columns.length - 1, false, null);
    return this.#draft;
  }

  #secondDraft(event: Event): Draft {
    if (this.columns.length === 0) this.#placed.begin(event.seq);
    this.#second ??= new Draft(this.#homes, this.columns.length - 1, true, this.#passes.depth);
    return this.#second;
  }

  *#cap(): Work {
    if (this.#draft && this.#draft.items.length >= (this.#known.places.now ? MOST_IN_PLACES : MOST_ITEMS)) {
      yield* this.#closeDraft();
    }
    if (this.#second && this.#second.items.length >= MOST_ITEMS) {
      yield* this.#closeSecond();
    }
  }

  /** Before the first op, the variables of the program that want a gradient are shown until they find their places. */
  *#leaveNamed(): Work {
    if (this.log.finished || this.#draft || (this.chunks.length > 0 && this.#lone.isEmpty)) return;
    this.#withdraw();
    for (const [tensor, { seq, info }] of [...this.#homes.waiting]) {
      const name = this.#known.variable(tensor);
      if (!name || name.includes('.') || !this.#known.needsGrad(tensor)) continue;
      (yield* this.#mainDraft(this.log.at(seq)!, false)).leave(tensor);
      this.#lone.add(tensor, seq, info);
    }
  }

  /** Takes back the leaves that were placed alone: they are all that is placed. */
  #withdraw(): void {
    if (this.#lone.isEmpty) return;
    this.#lone.release(this.#homes);
    this.#placed.clear();
  }

  /** Places the last; leaves that no op used are shown as well if the program wants their gradient, or has no graph. */
  *#leaveOver(event: Event): Work {
    this.#withdraw();
    const hasGraph = this.columns.length > 0;
    if (!hasGraph) for (const op of this.#skipped) (yield* this.#mainDraft(op, false)).apply(op);
    for (const [tensor] of [...this.#homes.waiting]) {
      if (this.#known.isGrad(tensor)) continue;
      if (!this.#known.needsGrad(tensor) && (hasGraph || this.#known.variable(tensor) === null)) continue;
      (yield* this.#mainDraft(event, false)).leave(tensor);
    }
    yield* this.#commit();
  }

  *#close(draft: Draft | null): Work {
    if (!draft || draft.items.length === 0) return;
    if (!draft.up) draft.renewNamed(this.#known);
    const { size, ...laid } = yield* layDraft(draft, this.#known, this.#stamps, this.breadth);
    yield* this.#placed.settle({ ...laid, order: draft.up ? this.#passes.order : 0 }, size);
  }
}
