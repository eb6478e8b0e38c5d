// Ranks: the row of each thing. Ops are below their inputs, leaves right above the ops that use them.

import type { Group, Member } from './group';

/**
 * Something that gets a row; `above` are those before it, as indices, `fed` says that an op gives it something from
 * outside, `isGround` that it is a group.
 */
export type Ranked = { isOp: boolean; isGround: boolean; fed: boolean; above: readonly number[]; least: number };

/** Terms of a sum, and grounds that need nothing of each other, from which on they are placed as such. */
const MANY = 4;

/**
 * Even rows; odd rows between them are for the numbers beside edges.  What depends on leaves alone never pushes
 * anything down: it is as low as its first user allows.  So are many terms of one sum that get all from outside, each
 * beside where it is added.  Many grounds that need leaves alone are in one row instead, however far down their users are.
 */
export function rank(things: readonly Ranked[]): { rows: Int32Array; terms: readonly number[] } {
  const rows = new Int32Array(things.length);
  const hangs: boolean[] = [];
  things.forEach(({ isOp, fed, above, least }, i) => {
    let row = least;
    let hanging = !fed;
    for (const other of above) {
      row = Math.max(row, rows[other]! + 2);
      if (!hangs[other]) hanging = false;
    }
    rows[i] = row;
    hangs[i] = hanging || !isOp;
  });
  const terms = termsOf(things, rows, hangs);
  for (const i of terms) hangs[i] = true;
  const isAlone = ({ isGround, above }: Ranked) => isGround && above.every((other) => !things[other]!.isOp);
  const grounds = things.flatMap((thing, i) => (hangs[i] && isAlone(thing) ? [i] : []));
  if (grounds.length >= MANY) for (const i of grounds) hangs[i] = false;
  const lowest = new Int32Array(things.length).fill(-1);
  for (let i = things.length - 1; i >= 0; i -= 1) {
    if (hangs[i] && lowest[i]! >= 0) rows[i] = Math.max(rows[i]!, lowest[i]! - 2);
    for (const other of things[i]!.above) {
      if (lowest[other]! < 0 || rows[i]! < lowest[other]!) lowest[other] = rows[i]!;
    }
  }
  return { rows, terms };
}

/** Ops that get all from outside and are many terms of one sum, which else would be a wide row above it. */
function termsOf(things: readonly Ranked[], rows: Int32Array, hangs: readonly boolean[]): readonly number[] {
  const users = new Int32Array(things.length).fill(-1);
  things.forEach(({ above }, i) => {
    for (const other of above) users[other] = users[other] === -1 ? i : -2;
  });
  const terms: number[] = [];
  things.forEach(({ isOp, isGround, fed, above }, i) => {
    const user = users[i]!;
    if (!isOp || isGround || !fed || hangs[i] || user < 0) return;
    if (rows[user]! > rows[i]! + 2 && above.every((other) => hangs[other])) terms.push(i);
  });
  return terms.length >= MANY ? terms : [];
}

function rankedOf({ item, group, ins }: Member): Ranked {
  const above: number[] = [];
  let fed = false;
  let least = 0;
  for (const { from, link, labelled } of ins) {
    if (from) {
      above.push(from.row);
      continue;
    }
    if (link.from.kind === 'op') fed = true;
    // A number beside an edge that comes from outside needs a row above the first one.
    if (labelled) least = 2;
  }
  return { isOp: item === null || item.kind === 'op', isGround: group?.frame != null, fed, above, least };
}

/** Gives the members of a group their rows. */
export function rankMembers(group: Group): void {
  // Until it has its row, a member's row is its number.
  group.members.forEach((member, i) => {
    member.row = i;
  });
  const { rows, terms } = rank(group.members.map(rankedOf));
  for (const i of terms) group.members[i]!.isTerm = true;
  group.members.forEach((member, i) => {
    member.row = rows[i]!;
  });
  group.rows = rows.reduce((most, row) => Math.max(most, row), -1) + 1;
  // So does the number of a leaf whose users are further down.
  for (const { from, to, labelled } of group.wires) {
    if (from && !to && labelled) group.rows = Math.max(group.rows, from.row + 2);
  }
}
