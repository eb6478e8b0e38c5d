// The scene: what is shown at one moment, as meanings and geometry without colours.  Parts are made when they are seen.

import type { Area } from '../layout/area';
import type { Frame } from '../layout/frame';
import type { Item, Link } from '../layout/graph';
import type { MirrorLayout } from '../layout/mirror';
import { begunBy, type Chunk } from '../layout/placed';
import { contains, grown, overlaps, type Rect, union } from '../layout/rect';
import type { RunState } from '../timeline/state';
import { Actors } from './actors';
import { areaOf, isRoomy } from './box/areas';
import { opens } from './box/opening';
import { DotMaker, noDots } from './dots';
import { type FoldedRounds, foldedRounds } from './fold/folded-rounds';
import { foldOf, isRoundFolded, NO_FOLDS, roundsOf } from './fold/folds';
import { markIn } from './fold/mark';
import { blockOf, framePart, groundAt } from './frames';
import { hitAt } from './hit';
import { placeNotes, type Room } from './notes/note-place';
import { notesOf, type Remark } from './notes/notes';
import { effectsOf } from './notes/step-effects';
import type { SceneOptions } from './options';
import { extentOf, isIn } from './parts/extent';
import { PartMaker } from './parts/part-maker';
import type { BlockPart, CardPart, EdgePart, FramePart, NotePart, Parts, PillPart, StepEffects } from './parts/parts';
import { regionsOf } from './regions';
import { isSame, keyOf, type Target, targetOf } from './target';

export type { Rect } from '../layout/rect';

/** A part of a canvas that rectangles may overlap. */
type CanvasPart = { overlaps(rect: Rect): boolean };
type Grounds = Pick<Parts, 'frames' | 'blocks'>;
type Gathering = { rect: Rect; scale: number; patch: CanvasPart | null; parts: Grounds };

/** How far titles reach above the columns that they name. */
export const TITLE_ROOM = 24;

export class Scene {
  readonly effects: StepEffects;
  readonly #maker: PartMaker;
  #dots: DotMaker | null = null;
  /** What the scene before this one found of its dots, until it is used. */
  #earlier: DotMaker | null;
  readonly #items = new Map<number, CardPart | PillPart>();
  readonly #edges = new Map<number, EdgePart>();
  readonly #frames = new Map<Frame, FramePart>();
  readonly #blocks = new Map<Area, BlockPart>();
  /** Both undefined until they are read. */
  #drawn: Rect | null | undefined;
  #compact: Rect | null | undefined;
  #notes: readonly NotePart[] | null = null;
  #remarks: Remark[] | null = null;
  #folded: FoldedRounds | null = null;
  readonly #actors: Actors;

  constructor(
    readonly state: RunState,
    readonly layout: MirrorLayout,
    readonly options: SceneOptions,
    before: Scene | null = null,
  ) {
    this.#earlier = before?.handOver() ?? null;
    this.effects = effectsOf(state, layout);
    this.#maker = new PartMaker(state, layout, options, this.effects);
    this.#actors = new Actors(this.effects, layout);
  }

  /** All that is placed, seen or not. */
  get bounds(): Rect {
    return this.#titled(this.#begun(this.layout.chunks) ?? this.layout.bounds);
  }

  /** What of some chunks has begun: what comes later takes no room. */
  #begun(chunks: readonly Chunk[]): Rect | null {
    let all: Rect | null = null;
    for (const { first, rect } of chunks) if (first <= this.state.seq) all = union(all, rect);
    return all;
  }

  /** A rectangle with the titles that are above what is in it. */
  #titled<R extends Rect | null>(rect: R): R {
    const { columns, chunks } = this.layout;
    if (!rect || (columns.length < 2 && !chunks.some(({ up }) => up))) return rect;
    return { ...rect, y: rect.y - TITLE_ROOM, height: rect.height + TITLE_ROOM };
  }

  /** All that is drawn at this moment. */
  get drawn(): Rect | null {
    if (this.#drawn === undefined)
      this.#drawn = this.#reached(this.layout.chunks.filter(({ first }) => first <= this.state.seq));
    return this.#drawn;
  }

  /** What is drawn without what was placed behind what is still to come, as leaves that nothing uses. */
  get compact(): Rect | null {
    if (this.#compact === undefined) this.#compact = this.#reached(begunBy(this.layout.chunks, this.state.seq));
    return this.#compact;
  }

  #reached(begun: readonly Chunk[]): Rect | null {
    const { seq } = this.state;
    let drawn: Rect | null = null;
    const latest = begun.at(-1);
    for (const chunk of begun.slice(0, -1)) drawn = union(drawn, chunk.rect);
    for (const item of latest?.items ?? []) if (item.seq <= seq) drawn = union(drawn, extentOf(item));
    for (const frame of latest?.frames ?? [])
      if (!frame.outer && frame.seq <= seq) drawn = union(drawn, groundAt(frame, seq));
    return this.#titled(drawn);
  }

  /** The forward pass that the moment belongs to, with its backward pass: what one looks at together. */
  get frame(): Rect {
    const column = this.layout.columnAt(Math.max(0, this.state.seq));
    const chunks = column ? this.layout.chunks.filter((chunk) => chunk.column === column.index) : [];
    return this.#titled(this.#begun(begunBy(chunks, this.state.seq)) ?? column?.rect ?? this.layout.bounds);
  }

  /** What acts in this step; null when nothing on the stage does. */
  get focus(): Rect | null {
    return this.acting.reduce<Rect | null>((actor, item) => union(actor, extentOf(item)), null);
  }

  /** The items that act in this step, first of all what wakes; else those that appear. */
  get acting(): readonly Item[] {
    const { items } = this.#actors;
    return items.length > 0 ? items : [...this.effects.appearing].map((id) => this.layout.items[id]!);
  }

  /** What acts in this step together with where its gradients arrive and what it records. */
  get reach(): Rect | null {
    let reach = this.focus;
    if (reach) for (const id of this.effects.sending) reach = union(reach, extentOf(this.layout.links[id]!.from));
    // What a pass records while it runs is worth seeing too.
    if (reach) for (const id of this.effects.appearing) reach = union(reach, extentOf(this.layout.items[id]!));
    return reach;
  }

  /** What a pass records while it runs, in this step. */
  get recorded(): Item[] {
    const items = [...this.effects.appearing].map((id) => this.layout.items[id]!);
    return items.filter(({ event }) => event?.during != null);
  }

  /** The things that the gradients of this step are sent to. */
  get receiving(): Item[] {
    return [...new Set([...this.effects.sending].map((id) => this.layout.links[id]!.from))];
  }

  /** What the notes of this step are about. */
  get remarkReach(): Rect | null {
    return this.remarks.reduce<Rect | null>((reach, { about }) => union(reach, about), null);
  }

  /** What the answer that is shown is about, in its order, as far as it is there; of a leaf the last card. */
  get lit(): Item[] {
    const lit = [...this.#maker.lit].filter(({ seq, kind }) => seq <= this.state.seq && kind !== 'again');
    return [...new Map(lit.map((item) => [item.kind === 'leaf' ? item.tensor : -1 - item.id, item])).values()];
  }

  /** What is said beside this step, each where there is room for it. */
  get notes(): readonly NotePart[] {
    return this.#notes ?? this.placeNotes(null);
  }

  /** The notes on this step, with or without a place. */
  get remarks(): readonly Remark[] {
    this.#remarks ??= notesOf(this);
    return this.#remarks;
  }

  /** Places the notes, where that can be within a room. */
  placeNotes(room: Room | null): readonly NotePart[] {
    this.#notes = placeNotes(this.remarks, this, room);
    return this.#notes;
  }

  /** Takes notes that have been placed. */
  takeNotes(notes: readonly NotePart[]): void {
    this.#notes = notes;
  }

  /** Leaves out the notes on what is in a rectangle that are not, but for rounding: one that is cut off says nothing. */
  keepNotes(seen: Rect): void {
    this.#notes = this.notes.filter(({ about, rect }) => !overlaps(about, seen) || contains(seen, grown(rect, -0.01)));
  }

  /** What came last on the stage. */
  get latest(): Rect | null {
    const { chunks } = this.layout;
    const chunk = chunks.findLast((candidate) => candidate.first <= this.state.seq);
    const item = chunk?.items.filter(({ seq }) => seq <= this.state.seq).at(-1);
    return item ? extentOf(item) : null;
  }

  /**
   * The parts that reach into a rectangle; at small scales modules are shown in place of what is in them.  With `dots`, only what there
   * is something to say of is made a part.  Of a `patch` of it, only what overlaps that.
   */
  visible(rect: Rect, scale = 1, dots = false, patch: CanvasPart | null = null): Parts {
    const parts: Parts = { cards: [], pills: [], edges: [], regions: [], frames: [], blocks: [], dots: noDots() };
    const gathering = { rect, scale, patch, parts, dots: dots ? this.#dotMaker : null };
    this.#enter(rect, patch, parts, (chunk) => this.#gather(chunk.area, chunk, gathering));
    const { idle, done, untracked } = parts.dots.items;
    parts.regions = regionsOf(
      [...parts.pills.map(({ item }) => item), ...idle, ...done, ...untracked],
      this.state,
      this.layout,
    );
    return parts;
  }

  /** The grounds and blocks that reach into a rectangle, without what is on them. */
  grounds(rect: Rect, scale: number): Grounds {
    const grounds: Grounds = { frames: [], blocks: [] };
    const gathering = { rect, scale, patch: null, parts: grounds };
    const gather = (area: Area, chunk: Chunk) => {
      if (this.#opened(area, chunk, gathering)) for (const inner of area.areas) gather(inner, chunk);
    };
    this.#enter(rect, null, grounds, (chunk) => gather(chunk.area, chunk));
    return grounds;
  }

  /** Takes the rounds that are folded, and goes into each chunk that is not hidden by them. */
  #enter(rect: Rect, patch: CanvasPart | null, { blocks }: Grounds, gather: (chunk: Chunk) => void): void {
    const { folded } = this;
    for (const block of folded.blocks) {
      if (overlaps(block.rect, rect) && (!patch || patch.overlaps(block.rect))) blocks.push(block);
    }
    for (const chunk of this.chunks(rect)) if (!folded.chunks.has(chunk)) gather(chunk);
  }

  /** Takes the ground or the block of an area; whether one sees what is in it. */
  #opened(area: Area, chunk: Chunk, { rect, scale, patch, parts }: Gathering): boolean {
    if (area.seq > this.state.seq || !overlaps(area.rect, rect) || (patch && !patch.overlaps(area.rect))) return false;
    const wanted = area.frame ? foldOf(area.frame.place, this.options.folds ?? NO_FOLDS) : undefined;
    if (wanted ?? !this.#opens(area, chunk, scale)) {
      parts.blocks.push(this.#block(area, chunk));
      return false;
    }
    if (area.frame) parts.frames.push(this.#frame(area.frame, area, chunk));
    return true;
  }

  /** Whether an area is open at a scale, unless the reader wants it otherwise: what acts is seen in its place. */
  #opens(area: Area, chunk: Chunk, scale: number): boolean {
    return opens(area, scale, area === chunk.area) || (isRoomy(area, scale) && this.#actors.isIn(area));
  }

  #gather(area: Area, chunk: Chunk, gathering: Gathering & { parts: Parts; dots: DotMaker | null }): void {
    if (!this.#opened(area, chunk, gathering)) return;
    const { seq } = this.state;
    const { rect, patch, parts } = gathering;
    const dots = chunk.up ? null : gathering.dots;
    for (const item of area.items) {
      if (item.seq > seq || !isIn(item, rect) || (patch && !patch.overlaps(extentOf(item)))) continue;
      if (dots && !dots.marked.has(item)) {
        parts.dots.items[dots.item(item)].push(item);
        continue;
      }
      const part = this.part(item);
      if (part.kind === 'card') parts.cards.push(part);
      else parts.pills.push(part);
    }
    for (const link of area.links) {
      if (link.to.seq > seq || !overlaps(link.rect, rect) || (patch && !patch.overlaps(link.rect))) continue;
      if (!dots || (dots.marked.has(link.from) && dots.marked.has(link.to))) parts.edges.push(this.edge(link));
      else if (dots.isSent(link)) parts.dots.sent.push(link);
      else parts.dots.unsent.push(link);
    }
    for (const inner of area.areas) this.#gather(inner, chunk, gathering);
  }

  /** The items that are drawn as themselves where all else is dots. */
  get marked(): ReadonlySet<Item> {
    return this.#dotMaker.marked;
  }

  get #dotMaker(): DotMaker {
    this.#dots ??= new DotMaker(this.state, this.layout, this.options, this.effects, this.#earlier);
    this.#earlier = null;
    return this.#dots;
  }

  /** Gives what it found of its dots to the next scene; asked again, it looks anew. */
  handOver(): DotMaker | null {
    const given = this.#dots ?? this.#earlier;
    this.#dots = this.#earlier = null;
    return given;
  }

  /** Rounds of a training loop that the reader has folded. */
  get folded(): FoldedRounds {
    if (!this.#folded) {
      const acting = new Set(this.#actors.items.map(({ chunk }) => this.layout.chunks[chunk]!));
      this.#folded = foldedRounds(this.state, this.layout, this.options, acting);
    }
    return this.#folded;
  }

  /** Whether a place is a block at a scale, wherever it lies and whether it has begun or not. */
  isFolded(target: Target, scale: number): boolean {
    const rounds = this.folded.blocks;
    if (
      rounds.some((block) => isSame(block.target, target) || block.rounds.some((one) => isSame(targetOf(one), target)))
    )
      return true;
    const { folds = NO_FOLDS } = this.options;
    const wanted = folds.get(keyOf(target));
    if (wanted !== undefined) return wanted;
    for (const chunk of this.layout.chunks) {
      const frame = chunk.frames.find(({ place }) => isSame(targetOf(place), target));
      if (frame) return !this.#opens(areaOf(chunk.area, frame)!, chunk, scale);
      const round = roundsOf(this.layout).get(chunk);
      if (round && isSame(targetOf(round), target)) return isRoundFolded(round, folds);
    }
    return false;
  }

  #frame(frame: Frame, area: Area, chunk: Chunk): FramePart {
    let part = this.#frames.get(frame);
    if (!part) {
      const mark = markIn(area, chunk, null, this.state, this.layout);
      part = framePart(frame, mark, this.state, this.options, this.#actors.ground);
      this.#frames.set(frame, part);
    }
    return part;
  }

  #block(area: Area, chunk: Chunk): BlockPart {
    let part = this.#blocks.get(area);
    if (!part) {
      part = blockOf(area, chunk, this.state, this.layout, this.options, this.#actors.ground);
      part.current ||= this.#actors.isIn(area);
      this.#blocks.set(area, part);
    }
    return part;
  }

  /** The chunks that reach into a rectangle. */
  chunks(rect: Rect): Chunk[] {
    return this.layout.chunks.filter((chunk) => overlaps(chunk.rect, rect) && chunk.first <= this.state.seq);
  }

  /** The part that shows an item. */
  part(item: Item): CardPart | PillPart {
    let part = this.#items.get(item.id);
    if (!part) {
      part = this.#maker.item(item);
      this.#items.set(item.id, part);
    }
    return part;
  }

  /** The part that shows a link. */
  edge(link: Link): EdgePart {
    let part = this.#edges.get(link.id);
    if (!part) {
      part = this.#maker.edge(link);
      this.#edges.set(link.id, part);
    }
    return part;
  }

  /** What lies at a point of a view at a scale. */
  hit(x: number, y: number, scale: number): Target | null {
    return hitAt(this, x, y, scale);
  }
}

/** The scene of a state; what the one `before` it found is used again, where it still holds. */
export function buildScene(
  state: RunState,
  layout: MirrorLayout,
  options: SceneOptions,
  before: Scene | null = null,
): Scene {
  return new Scene(state, layout, options, before);
}
