// Groups: the places of the program, and stretches of many ops, that are laid out by themselves and placed as boxes.

import type { Frame } from '../frame';
import type { Item, Link } from '../graph';
import { PORTION } from '../pace/slices';
import { attachSides, sideLeft } from '../sides';
import type { Bond, Vertex } from './order';
import { rankMembers } from './ranks';
import { stretchEnd } from './stretch';

/** An item or a group inside the group around it. */
export type Member = {
  item: Item | null;
  group: Group | null;
  /** How far it reaches from its spine. */
  left: number;
  right: number;
  height: number;
  row: number;
  /** Its place among what is stacked, -1 for what is not. */
  column: number;
  /** Whether it is one of many terms of a sum, which is beside where it is added. */
  isTerm: boolean;
  /** Its number in its group, and where its spine is there. */
  number: number;
  x: number;
  vertex: Vertex | null;
  /** What comes to it from other members or from outside, and what leaves it. */
  ins: Wire[];
  outs: Wire[];
};

/** The part of a link that lies in one group: between two members, or between a member and the group's rim. */
export type Wire = {
  link: Link;
  group: Group;
  from: Member | null;
  to: Member | null;
  /** The parts of the link before and after this one. */
  before: Wire | null;
  after: Wire | null;
  /** The part of a link of the same tensor to the same op, beside which this one is drawn. */
  twin: Wire | null;
  /** Its first stretch while its group is laid out. */
  first: Bond | null;
  /** Whether the gradient's number is beside this part. */
  labelled: boolean;
  /** The places where it passes rows, top to bottom, while its group is laid out. */
  vertices: readonly Vertex[];
  /** Where it passes rows, from the first row below its producer on; parts of groups that are alike share one list. */
  xs: readonly number[];
  /** Where it enters or leaves the group, from the group's spine. */
  rim: number;
};

export type Group = {
  /** The ground that it is; null for a chunk or a stretch of one. */
  frame: Frame | null;
  parent: Group | null;
  depth: number;
  /** What it is in its parent. */
  self: Member;
  members: Member[];
  wires: Wire[];
  /** How many rows it has, and how many the stretches before it have. */
  rows: number;
  before: number;
  /** From its corner: where its rows begin, how high they are, and where its first vertex would be at x = 0. */
  tops: readonly number[];
  heights: readonly number[];
  origin: number;
  /** How far each row is moved aside: a tall group is folded into columns. */
  shifts: readonly number[];
  /** The rows that begin a column, with how links come to them from the row before. */
  turns: ReadonlyMap<number, Turn>;
  width: number;
  height: number;
  /** Where its corner is in the chunk. */
  x: number;
  y: number;
};

/** Where a link leaves a member, from its spine. */
export function exitOf({ item }: Member, { link, before }: Wire): number {
  return item ? item.outputs[link.output]!.x + link.exit : before!.rim;
}

/** The way from the foot of one column to the head of the next: for each link how low, how far right and how high it goes. */
export type Turn = { lanes: Map<Link, Lane> };
export type Lane = { foot: number; gutter: number; head: number };

/** How far each of two parallel links is from the line that is laid out for both. */
const TWIN_SHIFT = 9;

/** Members of one group beyond which it is cut into stretches that are one below the other. */
const MOST_MEMBERS = 160;

/** Some items in their groups: one for each frame, inside one for the whole; members are in the order of the program. */
export class Grouping {
  readonly root = newGroup(null, null);
  /** All groups, outer ones first. */
  readonly groups: Group[] = [this.root];
  /** The first part of each link: from its producer on. */
  readonly routes: Wire[] = [];
  /** The links of side leaves, which are no members. */
  readonly sides: Link[] = [];
  /** By the number of an item: the innermost group that it is in, and what it is there. */
  readonly #homes: Group[] = [];
  readonly #members: Member[] = [];

  private constructor(
    readonly items: readonly Item[],
    readonly frames: readonly Frame[],
    private readonly withSides: boolean,
  ) {}

  /** Groups items by their frames, `withSides` but for those that are beside an op; the work may rest wherever it yields. */
  static *of(items: readonly Item[], frames: readonly Frame[], withSides = false): Generator<void, Grouping> {
    const made = new Grouping(items, frames, withSides);
    yield* made.#group();
    return made;
  }

  *#group(): Generator<void, void> {
    yield* this.#gather();
    for (const group of [...this.groups]) this.#stretch(group);
    for (let i = 0; i < this.items.length; i += 1) {
      for (const link of this.items[i]!.inputs) this.#lead(link);
      if (i % PORTION === 0) yield;
    }
    for (const group of this.groups.toReversed()) {
      rankMembers(group);
      yield;
    }
    for (const { members } of this.groups) {
      let before = 0;
      for (const { group } of members) {
        if (!group || group.frame) continue;
        group.before = before;
        before += group.rows;
      }
    }
  }

  /** How many rows a link spans in the innermost group that holds both its ends. */
  span({ from, to }: Link): number {
    const group = this.#around(from, to);
    return this.rowIn(group, to) - this.rowIn(group, from);
  }

  /** The group of the innermost round of a loop that an item is in. */
  roundOf(item: Item): Group | null {
    let group: Group | null = this.#homes[item.number] ?? null;
    while (group && group.frame?.place.kind !== 'round') group = group.parent;
    return group;
  }

  /** Whether an item is in a group. */
  holds(group: Group, item: Item): boolean {
    for (let at: Group | null = this.#homes[item.number] ?? null; at; at = at.parent) if (at === group) return true;
    return false;
  }

  /** The row of an item, or of what holds it, in a group around it. */
  rowIn(around: Group, item: Item): number {
    let member = this.#members[item.number]!;
    let group = this.#homes[item.number]!;
    let inside = 0;
    while (group !== around) {
      inside = group.frame ? 0 : group.before + member.row + inside;
      member = group.self;
      group = group.parent!;
    }
    return member.group && !member.group.frame ? inside : member.row;
  }

  /** The innermost group that holds two items. */
  #around(one: Item, other: Item): Group {
    let a = this.#homes[one.number]!;
    let b = this.#homes[other.number]!;
    while (a !== b) {
      if (a.depth < b.depth) b = b.parent!;
      else a = a.parent!;
    }
    return a;
  }

  *#gather(): Generator<void, void> {
    // Outer frames come first, so that the innermost one is what stays.
    const innermost: Frame[] = [];
    for (let i = 0; i < this.items.length; i += 1) this.items[i]!.number = i;
    for (const frame of this.frames) for (const { number } of frame.items) innermost[number] = frame;
    if (this.withSides) attachSides(this.items, (item) => innermost[item.number]);
    const groups = new Map<Frame, Group>();
    const enter = (frame: Frame | null): Group => {
      if (!frame) return this.root;
      let group = groups.get(frame);
      if (!group) {
        const parent = enter(frame.outer);
        group = newGroup(frame, parent);
        groups.set(frame, group);
        parent.members.push(group.self);
      }
      return group;
    };
    // From the last item to the first: a group is where its call ended, behind all that it was given.
    for (let i = this.items.length - 1; i >= 0; i -= 1) {
      if (i % PORTION === 0) yield;
      const item = this.items[i]!;
      if (item.host) continue;
      const group = enter(innermost[i] ?? null);
      const member = newMember(item, null, sideLeft(item), item.right, item.height);
      group.members.push(member);
      this.#homes[i] = group;
      this.#members[i] = member;
    }
    this.groups.push(...groups.values());
    for (const { members } of this.groups) members.reverse();
  }

  /** Cuts a group of too many members into stretches. */
  #stretch(group: Group): void {
    const { members } = group;
    if (members.length <= MOST_MEMBERS) return;
    const parts: Group[] = [];
    for (let begin = 0; begin < members.length; ) {
      const part = newGroup(null, group);
      const end = stretchEnd(members, begin, MOST_MEMBERS);
      part.members = members.slice(begin, end);
      begin = end;
      for (const { item, group: inner } of part.members) {
        if (item) this.#homes[item.number] = part;
        else deepen(inner!, part);
      }
      parts.push(part);
    }
    group.members = parts.map(({ self }) => self);
    this.groups.splice(this.groups.indexOf(group) + 1, 0, ...parts);
  }

  /** Makes the parts of a link: out of the groups that only its producer is in, across, and into those of its user. */
  #lead(link: Link): void {
    if (this.items[link.from.number] !== link.from) return;
    if (link.from.host) {
      this.sides.push(link);
      return;
    }
    link.exit = 0;
    link.shift = 0;
    link.labelLeft = false;
    let a = this.#homes[link.from.number]!;
    let b = this.#homes[link.to.number]!;
    let from = this.#members[link.from.number]!;
    let to = this.#members[link.to.number]!;
    let first = link.labelled && link.from.kind !== 'op';
    let last = link.labelled && !first;
    let begin: Wire | null = null;
    let before: Wire | null = null;
    let after: Wire | null = null;
    while (a !== b) {
      if (a.depth >= b.depth) {
        before = wire(a, link, from, null, first, before, null);
        begin ??= before;
        first = false;
        from = a.self;
        a = a.parent!;
      } else {
        after = wire(b, link, null, to, last, null, after);
        last = false;
        to = b.self;
        b = b.parent!;
      }
    }
    const isDirect = !before && !after && to.item !== null;
    const other = isDirect ? twinOf(link, from, to) : null;
    const across = wire(b, link, from, to, first || last, before, after);
    if (other) pair(other, across);
    this.routes.push(begin ?? across);
  }
}

/** What many have none of. */
export const NONE: readonly never[] = [];
const NO_TURNS: ReadonlyMap<number, Turn> = new Map();

function newMember(item: Item | null, group: Group | null, left: number, right: number, height: number): Member {
  return {
    item,
    group,
    left,
    right,
    height,
    row: 0,
    column: -1,
    isTerm: false,
    number: 0,
    x: 0,
    vertex: null,
    ins: [],
    outs: [],
  };
}

function newGroup(frame: Frame | null, parent: Group | null): Group {
  const self = newMember(null, null, 0, 0, 0);
  self.group = {
    frame,
    parent,
    depth: parent ? parent.depth + 1 : 0,
    self,
    members: [],
    wires: [],
    rows: 0,
    before: 0,
    tops: NONE,
    heights: NONE,
    origin: 0,
    shifts: NONE,
    turns: NO_TURNS,
    width: 0,
    height: 0,
    x: 0,
    y: 0,
  };
  return self.group;
}

/** The only other link of the same tensor from one member to another. */
function twinOf({ output }: Link, from: Member, to: Member): Wire | null {
  let twin: Wire | null = null;
  for (const other of to.ins) {
    if (other.from !== from || other.link.output !== output) continue;
    if (twin) return null;
    twin = other;
  }
  // What leaves an op leaves it at one place: others that use it too would cross one of the two.
  return from.item?.kind === 'op' && from.item.outputs[output]!.uses !== 2 ? null : twin;
}

/** Draws two links side by side, with their numbers at their outer sides. */
function pair(one: Wire, other: Wire): void {
  other.twin = one;
  one.link.shift = -TWIN_SHIFT;
  other.link.shift = TWIN_SHIFT;
  one.link.labelLeft = true;
  one.link.from.outputs[one.link.output]!.spread = TWIN_SHIFT;
}

function deepen(group: Group, parent: Group): void {
  group.parent = parent;
  group.depth = parent.depth + 1;
  for (const { group: inner } of group.members) if (inner) deepen(inner, group);
}

function wire(
  group: Group,
  link: Link,
  from: Member | null,
  to: Member | null,
  labelled: boolean,
  before: Wire | null,
  after: Wire | null,
): Wire {
  const made: Wire = {
    link,
    group,
    from,
    to,
    before,
    after,
    twin: null,
    first: null,
    labelled,
    vertices: NONE,
    xs: NONE,
    rim: 0,
  };
  if (before) before.after = made;
  if (after) after.before = made;
  group.wires.push(made);
  from?.outs.push(made);
  to?.ins.push(made);
  return made;
}
