// Ports: the points where links leave and enter items, computed from the spines of both.

import type { Link } from '../graph';
import { PORT_GAP } from '../size';
import type { Member, Wire } from './group';

const EXIT_GAP = 18;
/** The rounded ends of pills and cards. */
const RIM = 12;

/** Where a link enters a member, from its spine. */
export function entryOf({ item }: Member, { link, after }: Wire): number {
  return item ? link.port : after!.rim;
}

/** Spreads an item's ports over its pill in the order in which its edges arrive; its trunk enters in the middle. */
export function portsOf({ item, vertex, ins }: Member, trunk: Link | undefined): void {
  const { pillLeft, pillRight } = item!;
  const own = ins.filter(({ twin }) => !twin);
  // What comes straight from outside has no vertex above.
  const bonds = vertex!.above.length === own.length ? vertex!.above : null;
  const arriving = own.map((wire, i) => ({ wire, bond: bonds?.[i] ?? null }));
  if (bonds) arriving.sort((a, b) => a.bond!.upper.order - b.bond!.upper.order);
  const room = pillLeft + pillRight - 2 * RIM;
  const last = arriving.length - 1;
  const gap = last > 0 ? Math.min(PORT_GAP, room / last) : 0;
  const middle = trunk ? arriving.findIndex(({ wire }) => wire.link === trunk) : last / 2;
  const first = -middle * gap;
  const shift = Math.max(0, RIM - pillLeft - first) - Math.max(0, first + last * gap + RIM - pillRight);
  arriving.forEach(({ wire, bond: at }, i) => {
    wire.link.port = first + shift + i * gap;
    if (at) at.lowerX = wire.link.port;
  });
  for (const { twin, link } of ins) if (twin) link.port = twin.link.port;
}

/** Spreads the places where edges leave a card, in the order in which they go on. */
export function exitsOf({ item, outs }: Member): void {
  if (item!.kind === 'op' || outs.length < 2) return;
  const leaving = outs.filter(({ first }) => first).sort((a, b) => a.first!.lower.order - b.first!.lower.order);
  const last = leaving.length - 1;
  const gap = last > 0 ? Math.min(EXIT_GAP, (item!.pillLeft + item!.pillRight - 2 * RIM) / last) : 0;
  leaving.forEach(({ link, first }, i) => {
    link.exit = (i - last / 2) * gap;
    first!.upperX = item!.outputs[link.output]!.x + link.exit;
  });
  for (const { twin, link } of outs) if (twin) link.exit = twin.link.exit;
}
