// Stamps: groups that are alike, as the layers of a model or the rounds of a loop, are laid out once, and the others like the first.

import { nameWidth } from '../frame';
import type { Item, Link } from '../graph';
import { sideFoot, sideNumbers, sideRise } from '../sides';
import { exitOf, type Group } from './group';

/** What laying out a group came to, for its members and wires in their order. */
type Stamp = Pick<Group, 'tops' | 'heights' | 'origin' | 'shifts' | 'turns' | 'width' | 'height'> & {
  /** All that the layout of a group looks at, as numbers. */
  key: Float64Array;
  members: readonly number[];
  wires: readonly { xs: readonly number[]; rim: number; port: number; exit: number }[];
};

/** How many are kept; a program whose groups are all different would fill the memory. */
const MOST = 400;

/** The groups that were laid out, by all that their layout depends on. */
export class Stamps {
  readonly #all = new Map<number, Stamp[]>();
  #count = 0;
  /** The key of the group that was asked for last. */
  #key = new Float64Array(256);
  #length = 0;
  #hash = 0;

  /** Lays out a group like an earlier one with the same key; false where there is none. */
  take(group: Group, trunks: ReadonlyMap<Item, Link>, thorough: boolean): boolean {
    this.#read(group, trunks, thorough);
    const stamp = this.#all.get(this.#hash)?.find(({ key }) => this.#equals(key));
    if (!stamp) return false;
    const { tops, heights, origin, shifts, turns, width, height } = stamp;
    Object.assign(group, { tops, heights, origin, shifts, turns, width, height });
    const { self, members, wires } = group;
    self.left = self.right = width / 2;
    self.height = height;
    for (let i = 0; i < members.length; i += 1) members[i]!.x = stamp.members[i]!;
    for (let i = 0; i < wires.length; i += 1) {
      const wire = wires[i]!;
      const { xs, rim, port, exit } = stamp.wires[i]!;
      wire.xs = xs;
      wire.rim = rim;
      if (wire.from?.item) wire.link.exit = exit;
      if (wire.to?.item) wire.link.port = port;
    }
    return true;
  }

  /** Keeps the group that was asked for last, now that it is laid out. */
  keep(group: Group): void {
    // The lanes of one that is folded belong to its own links.
    if (group.turns.size > 0) return;
    if (this.#count === MOST) {
      this.#all.clear();
      this.#count = 0;
    }
    const { tops, heights, origin, shifts, turns, width, height } = group;
    const members = group.members.map(({ x }) => x);
    const wires = group.wires.map(({ xs, rim, link }) => ({ xs, rim, port: link.port, exit: link.exit }));
    const key = this.#key.slice(0, this.#length);
    const made = { key, tops, heights, origin, shifts, turns, width, height, members, wires };
    const others = this.#all.get(this.#hash);
    if (others) others.push(made);
    else this.#all.set(this.#hash, [made]);
    this.#count += 1;
  }

  #read(group: Group, trunks: ReadonlyMap<Item, Link>, thorough: boolean): void {
    const { frame, members, wires } = group;
    this.#length = 0;
    this.#hash = 0;
    this.#add(thorough ? 1 : 0);
    this.#add(frame ? nameWidth(frame) : -1);
    this.#add(group.rows);
    this.#add(members.length);
    for (let i = 0; i < members.length; i += 1) {
      const { item, row, column, isTerm, left, right, height } = members[i]!;
      this.#add(row);
      this.#add(column);
      this.#add(left);
      this.#add(right);
      this.#add(height);
      this.#add(item ? item.pillLeft : -1);
      if (item) {
        this.#add(item.pillRight);
        this.#add((item.kind === 'op' ? 1 : 0) + (isTerm ? 2 : 0));
        this.#add(item.left);
        this.#add(item.sides.length === 0 ? -1 : item.sideReach);
        this.#add(sideRise(item));
        this.#add(sideFoot(item));
        this.#add(sideNumbers(item));
      }
      members[i]!.number = i;
    }
    for (let i = 0; i < wires.length; i += 1) {
      const wire = wires[i]!;
      const { link, from, to, after, labelled } = wire;
      this.#add(from ? from.number : -1);
      this.#add(to ? to.number : -1);
      const trunk = trunks.get(link.to);
      this.#add(
        (labelled ? 1 : 0) +
          (link.from.kind === 'op' ? 2 : 0) +
          (link.node === null ? 16 : 0) +
          (!trunk ? 0 : trunk === link ? 4 : 8),
      );
      // Where it leaves and enters what is above and below.
      this.#add(link.shift);
      if (from) this.#add(exitOf(from, wire));
      if (to?.group) this.#add(after!.rim);
    }
  }

  #add(value: number): void {
    if (this.#length === this.#key.length) {
      const longer = new Float64Array(2 * this.#length);
      longer.set(this.#key);
      this.#key = longer;
    }
    this.#key[this.#length] = value;
    this.#length += 1;
    this.#hash = (Math.imul(this.#hash, 31) + ((value * 16) | 0)) | 0;
  }

  #equals(key: Float64Array): boolean {
    if (key.length !== this.#length) return false;
    for (let i = 0; i < key.length; i += 1) if (key[i] !== this.#key[i]) return false;
    return true;
  }
}
