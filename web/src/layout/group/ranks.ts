// Ranks: the row of each thing. Ops are below their inputs, leaves right above the ops that use them.

import type { Group, Member } from './group';

/** Something that gets a row; `above` are those before it, as indices, `fed` says that an op gives it something from outside. */
export type Ranked = { isOp: boolean; fed: boolean; above: readonly number[]; least: number };

/**
 * Even rows; odd rows between them are for the numbers beside edges.  What depends on leaves alone never pushes
 * anything down: it is as low as its first user allows.
 */
export function rank(things: readonly Ranked[]): Int32Array {
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
  const lowest = new Int32Array(things.length).fill(-1);
  for (let i = things.length - 1; i >= 0; i -= 1) {
    if (hangs[i] && lowest[i]! >= 0) rows[i] = Math.max(rows[i]!, lowest[i]! - 2);
    for (const other of things[i]!.above) {
      if (lowest[other]! < 0 || rows[i]! < lowest[other]!) lowest[other] = rows[i]!;
    }
  }
  return rows;
}

function rankedOf({ item, ins }: Member): Ranked {
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
  return { isOp: item === null || item.kind === 'op', fed, above, least };
}

/** Gives the members of a group their rows. */
export function rankMembers(group: Group): void {
  // Until it has its row, a member's row is its number.
  group.members.forEach((member, i) => {
    member.row = i;
  });
  const rows = rank(group.members.map(rankedOf));
  group.members.forEach((member, i) => {
    member.row = rows[i]!;
  });
  group.rows = rows.reduce((most, row) => Math.max(most, row), -1) + 1;
  // So does the number of a leaf whose users are further down.
  for (const { from, to, labelled } of group.wires) {
    if (from && !to && labelled) group.rows = Math.max(group.rows, from.row + 2);
  }
}
