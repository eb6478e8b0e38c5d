// Where a group of too many members is cut into stretches: near equal shares, where a round of a loop or a statement ends.

import type { Place } from '../program/place';
import type { Member } from './group';

/** How far from its equal share a stretch may end, in shares of it. */
const OFF = 0.4;

/** Where the stretch from a member on ends; `most` is how many it may have. */
export function stretchEnd(members: readonly Member[], begin: number, most: number): number {
  const left = members.length - begin;
  if (left <= most) return members.length;
  const share = Math.ceil(left / Math.ceil(left / most));
  let best = begin + share;
  let bestGain = gainAt(members, best);
  const reach = Math.floor(share * OFF);
  for (let by = 1; by <= reach && bestGain < ROUND; by += 1) {
    for (const end of [begin + share - by, begin + share + by]) {
      if (end - begin > most || end >= members.length) continue;
      const gain = gainAt(members, end);
      if (gain <= bestGain) continue;
      best = end;
      bestGain = gain;
    }
  }
  return best;
}

/** What a cut before a member is worth: that of a round more than that of a line, and that inside a line nothing. */
const ROUND = 2;
const LINE = 1;

function gainAt(members: readonly Member[], at: number): number {
  const before = members[at - 1]!;
  const next = nextOp(members, at);
  // What an op is given stays with it.
  if (!next || (before.item && before.item.kind !== 'op')) return 0;
  if (before.group || next.group) return ROUND;
  const [a, b] = [before.item!, next.item!];
  if (roundOf(a.place) !== roundOf(b.place)) return ROUND;
  return a.event?.line === b.event?.line ? 0 : LINE;
}

function nextOp(members: readonly Member[], at: number): Member | null {
  for (let i = at; i < members.length; i += 1) {
    const member = members[i]!;
    if (member.group || member.item!.kind === 'op') return member;
  }
  return null;
}

function roundOf(place: Place | null): Place | null {
  let at = place;
  while (at && at.kind !== 'round') at = at.outer;
  return at;
}
