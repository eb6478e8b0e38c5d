// The mirror layout: where every leaf, op and edge of a run stands.  What is placed never moves.
//
// The program is cut into chunks (a forward pass, what runs between two passes, the ops that a backward pass with
// create_graph applied) and each is laid out once, when it is complete.  Forward passes stand side by side, one column
// for each; what a backward pass recorded stands to the right of its column as a further mirror, upside down.

import type { Event, GraphRebased, OpApplied, TensorInfo } from '../protocol/events';
import type { EventLog } from '../store/log';
import { Hooks } from '../timeline/hooks';
import { Series } from '../timeline/series';
import { isDropped } from '../timeline/state';
import { type Area, areaOf, shift } from './area';
import { layChunk } from './chunk';
import { Draft, type Homes } from './draft';
import { dress } from './dress';
import { type Frame, framesOf } from './frame';
import type { Checkpoint, Item, Link } from './graph';
import { Grouping } from './group';
import { type Place, Places } from './place';
import { type Rect, union } from './rect';
import type { Pace } from './slices';

export type Chunk = {
  index: number;
  column: number;
  up: boolean;
  /** How often the gradient was taken to get what it computes: 0 for a forward pass. */
  order: number;
  rect: Rect;
  first: number;
  items: Item[];
  links: Link[];
  /** Outer frames before those inside them. */
  frames: readonly Frame[];
  area: Area;
};
export type Column = {
  index: number;
  rect: Rect | null;
  /** The event that began it, and the last one before the next column. */
  first: number;
  last: number;
  /** The backward passes that started here. */
  calls: Series<number>;
};

/** Work that may be left for a while wherever it yields; what is half done is not seen by others. */
type Work = Generator<void, void>;

const COLUMN_GAP = 112;
const CHUNK_GAP = 48;
const MIRROR_GAP = 72;
/** Items that are placed together, outside of modules and loops and inside of one. */
const MOST_ITEMS = 240;
const MOST_IN_PLACES = 6000;
/** How long a stream rests until what is open is placed; a call of a module or a loop is better placed as a whole. */
const REST_MS = 400;
const REST_IN_PLACE_MS = 2000;
/** How often those who follow a layout that is under way are told, as each time the stage is drawn anew. */
const TELL_MS = 150;

/** Follows a log and places what it brings: at once, or in slices where it is given a pace. */
export class MirrorLayout {
  readonly items: Item[] = [];
  readonly links: Link[] = [];
  readonly chunks: Chunk[] = [];
  readonly columns: Column[] = [];
  bounds: Rect = { x: 0, y: 0, width: 0, height: 0 };
  readonly #names = new Map<number, string>();
  readonly #infos = new Map<number, TensorInfo>();
  readonly #grads = new Map<number, number>();
  readonly #needsGrad = new Set<number>();
  readonly #roads = new Map<number, Link[]>();
  readonly #cards = new Map<number, Item[]>();
  readonly #listeners = new Set<() => void>();
  readonly #homes: Homes;
  readonly #origins = new Map<number, string>();
  /** Ops outside any graph, for a program that has none. */
  readonly #skipped: OpApplied[] = [];
  readonly #rebases: GraphRebased[] = [];
  readonly #hooks = new Hooks();
  /** What pack hooks keep, as `node/slot`. */
  readonly #packed = new Map<string, string>();
  readonly #versions = new Map<number, number>();
  readonly #tangents = new Set<number>();
  readonly #places = new Places();
  /** What belongs to a module, and since when tensors are there. */
  readonly #parameters = new Set<number>();
  readonly #born = new Map<number, number>();
  /** The last op that was not placed: it is, where its result gets a tangent. */
  #unplaced: OpApplied | null = null;
  readonly #modes = new Series<string>();
  readonly #checkpoints = new Map<number, Checkpoint>();
  /** The checkpoints whose forward pass is under way, innermost last. */
  readonly #inside: Checkpoint[] = [];
  /** The checkpoint that is computed again, and which of its ops comes next. */
  #rerun: { checkpoint: Checkpoint; next: number } | null = null;
  /** The items that ops computed again, by event. */
  readonly #reruns = new Map<number, Item>();
  #read = 0;
  #draft: Draft | null = null;
  #second: Draft | null = null;
  #calls = 0;
  /** The order of what the pass that began last would record. */
  #order = 1;
  /** Whether each backward pass under way is itself recorded. */
  readonly #recorded: boolean[] = [];
  #passed = false;
  /** The leaves that stand alone for as long as nothing uses them. */
  readonly #lone: { tensor: number; seq: number; info: TensorInfo }[] = [];
  #ending = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stop = () => {};

  /** Whether a slice is to come. */
  #behind = false;
  #work: Work | null = null;
  #told = 0;
  #newest: Chunk | undefined;

  constructor(
    readonly log: EventLog,
    readonly pace: Pace | null = null,
  ) {
    this.#homes = {
      tensors: new Map(),
      nodes: new Map(),
      leafOfNode: new Map(),
      waiting: new Map(),
      rebased: new Map(),
      requiresGrad: (tensor) => this.#needsGrad.has(tensor),
      columnOf: (item) => this.chunks[item.chunk]?.column ?? -1,
    };
    this.#update();
    this.#stop = log.onAppend(() => this.#update());
  }

  /** Follows the log no longer. */
  close(): void {
    clearTimeout(this.#timer);
    this.#stop();
    this.pace?.stop();
  }

  /** Whether events have come that were not looked at yet. */
  get behind(): boolean {
    return this.#behind;
  }

  /** Calls `listener` when more was placed than the log's last events brought at once; returns what ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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
    const item = this.#reruns.get(seq);
    return item && item.chunk >= 0 ? item : null;
  }

  /** The ops of a checkpoint. */
  checkpointOf(checkpoint: number): Checkpoint | null {
    return this.#checkpoints.get(checkpoint) ?? null;
  }

  /** The link that the gradient of a node's input takes. */
  linkOf(node: number, inputNr: number): Link | null {
    return this.#roads.get(node)?.[inputNr] ?? null;
  }

  /** The leaf whose AccumulateGrad a node is. */
  leafOf(node: number): number | null {
    return this.#homes.leafOfNode.get(node) ?? null;
  }

  /** The cards on which a tensor is shown, first to last. */
  cardsOf(tensor: number): readonly Item[] {
    return this.#cards.get(tensor) ?? [];
  }

  /** The column in force at an event. */
  columnAt(seq: number): Column | null {
    return this.columns.findLast((column) => column.first <= seq) ?? null;
  }

  /** The name that a tensor had when this was last asked to place something. */
  nameOf(tensor: number): string | null {
    const own = this.#names.get(tensor);
    if (own) return own;
    const leaf = this.#grads.get(tensor);
    const name = leaf === undefined ? undefined : this.#names.get(leaf);
    return name ? `${name}.grad` : null;
  }

  /** Places what is still open, as when the stream rests. */
  commit(): void {
    for (const _ of this.#commit());
  }

  *#commit(): Work {
    clearTimeout(this.#timer);
    const before = this.chunks.at(-1);
    yield* this.#leaveNamed();
    yield* this.#closeOpen();
    if (this.chunks.at(-1) !== before) for (const listener of this.#listeners) listener();
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
    if (!this.#behind) this.#advance();
  }

  #advance(): void {
    this.#work ??= this.#reading();
    this.pace?.begin();
    let done = this.#work.next().done;
    while (!done && !this.pace?.over()) done = this.#work.next().done;
    const late = this.#behind;
    this.#behind = !done;
    if (done) this.#work = null;
    if (done) this.#rest();
    else this.pace?.next(() => this.#advance());
    if (late) this.#tell();
  }

  *#reading(): Work {
    const { events } = this.log;
    while (this.#read < events.length) {
      yield* this.#take(events[this.#read]!);
      this.#read += 1;
      if (this.#read < events.length) yield;
    }
  }

  /** What is open is placed when nothing comes. */
  #rest(): void {
    const isOpen = this.#draft || this.#second || this.#homes.waiting.size > 0;
    // Nothing comes while a debugger holds the program.
    if (this.log.events.at(-1)?.kind === 'paused') this.commit();
    else if (!this.log.finished && isOpen) {
      this.#timer = setTimeout(() => this.commit(), this.#places.now ? REST_IN_PLACE_MS : REST_MS);
    }
  }

  #tell(): void {
    const now = performance.now();
    if (this.chunks.at(-1) === this.#newest || (this.#behind && now - this.#told < TELL_MS)) return;
    this.#told = now;
    this.#newest = this.chunks.at(-1);
    for (const listener of this.#listeners) listener();
  }

  *#take(event: Event): Work {
    // The names of what a pass recorded come right after it.
    if (this.#ending && event.kind !== 'tensor_named' && event.kind !== 'tensor_released') {
      this.#ending = false;
      yield* this.#closeSecond();
    }
    this.#hooks.add(event);
    this.#places.add(event);
    switch (event.kind) {
      case 'module_described':
        for (const { tensor } of event.parameters) this.#parameters.add(tensor);
        break;
      case 'tensor_created':
        this.#know(event.info);
        this.#born.set(event.info.tensor, event.seq);
        if (event.origin === 'gradient') this.#origins.set(event.info.tensor, event.origin);
        this.#homes.waiting.set(event.info.tensor, { seq: event.seq, info: event.info });
        break;
      case 'tensor_named':
        if (!this.#names.has(event.tensor)) this.#names.set(event.tensor, event.name);
        break;
      case 'requires_grad_changed':
        if (event.requires_grad) this.#needsGrad.add(event.tensor);
        break;
      case 'tensor_mutated': {
        const info = this.#infos.get(event.tensor);
        if (info) this.#infos.set(event.tensor, { ...info, value: event.value });
        this.#versions.set(event.tensor, event.version);
        break;
      }
      case 'node_created':
        if (event.tensor === null) break;
        this.#homes.leafOfNode.set(event.node, event.tensor);
        this.#needsGrad.add(event.tensor);
        break;
      case 'grad_accumulated':
        this.#grads.set(event.grad, event.tensor);
        break;
      case 'op_applied':
        for (const output of event.outputs) {
          this.#know(output);
          if (!event.in_place) this.#born.set(output.tensor, event.seq);
        }
        yield* this.#apply(event);
        break;
      case 'graph_rebased':
        this.#homes.rebased.set(event.tensor, event);
        this.#rebases.push(event);
        break;
      case 'saved_tensor_packed':
        if (!isDropped(event)) this.#packed.set(`${event.node}/${event.slot}`, event.packed);
        break;
      case 'checkpoint_entered': {
        const made = { checkpoint: event.checkpoint, function: event.function, items: [], again: false };
        this.#checkpoints.set(event.checkpoint, made);
        this.#inside.push(made);
        break;
      }
      case 'checkpoint_left':
        this.#inside.pop();
        break;
      case 'recomputation_started': {
        const known = this.#checkpoints.get(event.checkpoint);
        const checkpoint = known && known.items.length === 0 ? { ...known, items: [], again: true } : known;
        this.#rerun = checkpoint ? { checkpoint, next: 0 } : null;
        break;
      }
      case 'recomputation_finished':
        this.#rerun = null;
        break;
      case 'tangent_computed':
        this.#tangents.add(event.tensor);
        if (event.op !== null && this.#unplaced?.outputs.some((output) => output.tensor === event.tensor)) {
          (yield* this.#mainDraft(this.#unplaced, false)).apply(this.#unplaced);
          this.#unplaced = null;
          yield* this.#cap();
        }
        break;
      case 'grad_mode_changed':
        this.#modes.push(event.seq, event.mode);
        break;
      case 'output_printed':
        this.#rebases.length = 0;
        break;
      case 'backward_started':
        this.#rebases.length = 0;
        yield* this.#start(event);
        break;
      case 'backward_finished':
        this.#calls = Math.max(0, this.#calls - 1);
        this.#recorded.pop();
        this.#ending = true;
        if (this.#calls === 0) this.#passed = true;
        break;
      case 'program_finished':
        yield* this.#leaveOver(event);
        yield* this.#commit();
        break;
      default:
        break;
    }
  }

  /** Places a tracked op; of the others those that the graph leads to, so that one sees where it is cut. */
  *#apply(event: OpApplied): Work {
    // An in-place change of a view gives its base this op's node; the views' new grad_fns hold only after the op.
    const told = this.#rebases.splice(0).filter((other) => this.#homes.rebased.get(other.tensor) === other);
    // A view whose base was changed gets its node when it is asked for, without an op in place.
    const rebases = event.in_place ? told : [];
    const own = rebases.filter((other) => other.node.node === event.node?.node);
    for (const { tensor } of rebases) this.#homes.rebased.delete(tensor);
    this.#unplaced = null;
    if (!event.node && !this.#isCut(event)) {
      this.#unplaced = event;
      for (const info of event.outputs) {
        if (!event.in_place) this.#homes.waiting.set(info.tensor, { seq: event.seq, info });
      }
      if (this.columns.length === 0 && this.#skipped.length < MOST_ITEMS && this.#mode !== 'function')
        this.#skipped.push(event);
      return;
    }
    this.#withdraw();
    if (this.#rerun && !this.#rerun.checkpoint.again) {
      this.#repeat(event, this.#rerun);
      return;
    }
    const isSecond = event.during !== null && this.#calls > 0 && !this.#rerun;
    const draft = isSecond ? this.#secondDraft(event) : yield* this.#mainDraft(event, event.node !== null);
    const item = draft.apply(event);
    if (!isSecond) item.place = this.#places.now;
    const checkpoint = this.#rerun?.checkpoint ?? this.#inside.at(-1);
    if (checkpoint) {
      item.checkpoint = checkpoint;
      checkpoint.items.push(item);
    }
    for (const { tensor } of own) this.#homes.tensors.set(tensor, this.#homes.tensors.get(event.outputs[0]!.tensor)!);
    for (const other of rebases) if (!own.includes(other)) this.#homes.rebased.set(other.tensor, other);
    yield* this.#cap();
  }

  /** An op that a checkpoint applies again belongs to the item of the first time. */
  #repeat(event: OpApplied, rerun: { checkpoint: Checkpoint; next: number }): void {
    const item = rerun.checkpoint.items[rerun.next];
    if (item?.event?.op !== event.op) return;
    rerun.next += 1;
    this.#reruns.set(event.seq, item);
    event.outputs.forEach((output, i) => {
      this.#homes.tensors.set(output.tensor, { item, output: Math.min(i, item.outputs.length - 1) });
    });
  }

  #isCut(event: OpApplied): boolean {
    // What forward() of a custom Function computes is inside the op that the Function is.
    if (this.#mode === 'function' || event.in_place) return false;
    // Of a backward pass only what it records belongs to a graph.
    if (this.#calls > 0 && (event.during === null || !this.#recorded.at(-1))) return false;
    return event.inputs.some(({ tensor }) => {
      if (tensor === null) return false;
      if (this.#infos.get(tensor)?.requires_grad || this.#needsGrad.has(tensor)) return true;
      const home = this.#homes.tensors.get(tensor)?.item;
      return home?.kind === 'op' && home.node === null;
    });
  }

  get #mode(): string {
    return this.#modes.entries.at(-1) ?? 'grad';
  }

  #know(info: TensorInfo): void {
    this.#infos.set(info.tensor, info);
    if (info.requires_grad && info.is_leaf) this.#needsGrad.add(info.tensor);
  }

  *#start(event: Extract<Event, { kind: 'backward_started' }>): Work {
    this.#calls += 1;
    this.#recorded.push(event.create_graph);
    yield* this.#closeDraft();
    const columns = new Set<Column>();
    this.#order = 1;
    for (const node of event.root_nodes) {
      const item = this.itemOfNode(node);
      if (item) this.#order = Math.max(this.#order, this.chunks[item.chunk]!.order + 1);
      const column = item ? this.columns[this.chunks[item.chunk]!.column] : undefined;
      if (column) columns.add(column);
    }
    // A pass within another leaves the gradients of that one in sight.
    if (event.parent === null) for (const column of columns) column.calls.push(event.seq, event.call);
  }

  /** The chunk that a forward op goes to; a tracked op after a backward pass begins the next column. */
  *#mainDraft(event: Event, tracked: boolean): Generator<void, Draft> {
    if (tracked && this.#passed) {
      yield* this.#closeDraft();
      this.#passed = false;
      this.#column(event.seq);
    }
    if (this.columns.length === 0) this.#column(0);
    this.#draft ??= new Draft(this.#homes, this.columns.length - 1, false, null);
    return this.#draft;
  }

  #secondDraft(event: Event): Draft {
    if (this.columns.length === 0) this.#column(event.seq);
    this.#second ??= new Draft(this.#homes, this.columns.length - 1, true, this.#calls);
    return this.#second;
  }

  #column(seq: number): void {
    const last = this.columns.at(-1);
    if (last) last.last = seq - 1;
    const index = this.columns.length;
    this.columns.push({ index, rect: null, first: seq, last: Number.POSITIVE_INFINITY, calls: new Series() });
  }

  *#cap(): Work {
    if (this.#draft && this.#draft.items.length >= (this.#places.now ? MOST_IN_PLACES : MOST_ITEMS)) {
      yield* this.#closeDraft();
    }
    if (this.#second && this.#second.items.length >= MOST_ITEMS) {
      yield* this.#closeSecond();
    }
  }

  /** Before the first op, the variables of the program that want a gradient are shown until they find their places. */
  *#leaveNamed(): Work {
    if (this.log.finished || this.#draft || (this.chunks.length > 0 && this.#lone.length === 0)) return;
    this.#withdraw();
    for (const [tensor, { seq, info }] of [...this.#homes.waiting]) {
      const name = this.#names.get(tensor);
      if (!name || name.includes('.') || !this.#needsGrad.has(tensor)) continue;
      (yield* this.#mainDraft(this.log.events[seq]!, false)).leave(tensor);
      this.#lone.push({ tensor, seq, info });
    }
  }

  /** Takes back the leaves that stood alone: they are all that is placed. */
  #withdraw(): void {
    if (this.#lone.length === 0) return;
    for (const { tensor, seq, info } of this.#lone.splice(0)) {
      this.#homes.tensors.delete(tensor);
      this.#homes.waiting.set(tensor, { seq, info });
    }
    const inOrder = [...this.#homes.waiting].sort(([, a], [, b]) => a.seq - b.seq);
    this.#homes.waiting.clear();
    for (const [tensor, waiting] of inOrder) this.#homes.waiting.set(tensor, waiting);
    this.#cards.clear();
    this.items.length = 0;
    this.chunks.length = 0;
    this.columns.length = 0;
  }

  /** Leaves that no op ever used are shown as well if the program wants their gradient, or has no graph at all. */
  *#leaveOver(event: Event): Work {
    this.#withdraw();
    const hasGraph = this.columns.length > 0;
    if (!hasGraph) for (const op of this.#skipped) (yield* this.#mainDraft(op, false)).apply(op);
    for (const [tensor] of [...this.#homes.waiting]) {
      if (this.#grads.has(tensor)) continue;
      if (!this.#needsGrad.has(tensor) && (hasGraph || !this.#names.has(tensor))) continue;
      (yield* this.#mainDraft(event, false)).leave(tensor);
    }
  }

  *#close(draft: Draft | null): Work {
    if (!draft || draft.items.length === 0) return;
    if (!draft.up) {
      for (const [tensor, event] of [...this.#homes.rebased]) {
        if (this.#names.has(tensor) && draft.renew(event)) this.#homes.rebased.delete(tensor);
      }
    }
    const known = {
      name: (tensor: number) => this.nameOf(tensor),
      value: (tensor: number) => this.#infos.get(tensor)?.value ?? null,
      origin: (tensor: number) => this.#origins.get(tensor) ?? '',
      version: (tensor: number) => this.#versions.get(tensor) ?? 0,
      hasTangent: (tensor: number) => this.#tangents.has(tensor),
      packed: (node: number, slot: string) => this.#packed.get(`${node}/${slot}`) ?? null,
      mode: (seq: number) => this.#modes.at(seq) ?? 'grad',
      hooksOfNode: (node: number) => this.#hooks.ofNode(node),
      hooksOfTensor: (tensor: number) => this.#hooks.ofTensor(tensor),
    };
    const belongs = (item: Item, place: Place) => this.#belongs(item, place);
    const frames = draft.up ? [] : framesOf(draft.items, belongs);
    yield;
    let grouping = new Grouping(draft.items, frames);
    yield;
    draft.shorten(grouping);
    yield;
    const links = draft.items.flatMap((item) => item.inputs);
    for (const item of draft.items) {
      item.seed = item.kind === 'op' && item.node !== null && item.outputs.every((output) => output.uses === 0);
      dress(item, known);
      yield;
    }
    for (const made of links) {
      made.labelled = made.node !== null && (made.from.kind !== 'op' || made.from.outputs[made.output]!.uses > 1);
    }
    grouping = new Grouping(draft.items, draft.up ? [] : framesOf(draft.items, belongs));
    yield;
    const size = yield* layChunk(grouping, draft.up);
    yield;
    const column = this.columns[draft.column]!;
    const rect = this.#site(column, draft.up, size);
    const chunk: Chunk = {
      first: Math.min(...draft.items.map((item) => item.seq)),
      index: this.chunks.length,
      column: draft.column,
      up: draft.up,
      order: draft.up ? this.#order : 0,
      rect,
      items: draft.items,
      links,
      frames: grouping.frames,
      area: areaOf(grouping),
    };
    this.#settle(chunk);
    column.rect = union(column.rect, rect);
    this.bounds = union(this.chunks.length === 1 ? null : this.bounds, rect);
  }

  /** Whether a leaf that only the ops of a place use is its own, and not something that a module or function around them was given. */
  #belongs(item: Item, place: Place): boolean {
    if (item.kind === 'again' || this.#parameters.has(item.tensor)) return true;
    // A buffer goes by the attributes that lead to it, what the program gives by a variable.
    if (this.#names.get(item.tensor)?.includes('.') !== false) return true;
    const born = this.#born.get(item.tensor) ?? 0;
    for (let at: Place | null = place; at; at = at.outer) {
      if ((at.kind === 'module' || at.kind === 'function') && born <= at.seq) return false;
    }
    return true;
  }

  /** Where the next chunk of a column goes: below the others, or to their right when it mirrors them. */
  #site(column: Column, up: boolean, size: { width: number; height: number }): Rect {
    const { width, height } = size;
    const own = column.rect;
    if (!own) {
      const last = this.columns[column.index - 1]?.rect;
      const x = last ? this.bounds.x + this.bounds.width + COLUMN_GAP : 0;
      return { x, y: 0, width, height };
    }
    if (up) return { x: own.x + own.width + MIRROR_GAP, y: Math.max(0, own.y + own.height - height), width, height };
    return { x: own.x, y: own.y + own.height + CHUNK_GAP, width, height };
  }

  #settle(chunk: Chunk): void {
    this.chunks.push(chunk);
    const { x, y } = chunk.rect;
    shift(chunk.area, x, y);
    for (const item of chunk.items) {
      item.id = this.items.length;
      item.chunk = chunk.index;
      item.x += x;
      item.y += y;
      this.items.push(item);
      if (item.kind === 'op') continue;
      const cards = this.#cards.get(item.tensor);
      if (cards) cards.push(item);
      else this.#cards.set(item.tensor, [item]);
    }
    for (const frame of chunk.frames) {
      frame.chunk = chunk.index;
      frame.labelX += x;
      frame.labelY += y;
      frame.rect.x += x;
      frame.rect.y += y;
    }
    for (const made of chunk.links) {
      made.id = this.links.length;
      made.chunk = chunk.index;
      for (let i = 0; i < made.points.length; i += 2) {
        made.points[i]! += x;
        made.points[i + 1]! += y;
      }
      made.labelX += x;
      made.labelY += y;
      made.rect.x += x;
      made.rect.y += y;
      this.links.push(made);
      if (made.node === null) continue;
      let roads = this.#roads.get(made.node);
      if (!roads) {
        roads = [];
        this.#roads.set(made.node, roads);
      }
      roads[made.inputNr] = made;
    }
  }
}
