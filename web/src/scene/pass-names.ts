// The columns of the stage by the rounds of the loop that they are, else by the backward passes that began in them.

import type { MirrorLayout } from '../layout/mirror';
import type { Column } from '../layout/placed';
import * as say from '../messages/pictures';
import type { History } from '../timeline/history';
import { roundsOf } from './fold/folds';

/** The name of a column: its round, `round 2`, or its first pass, `pass 2`; and `2` for where there is less room. */
export type PassName = { number: number; name: string; short: string };

type Names = ReadonlyMap<Column, PassName>;

/** The names that a layout had when so much was placed and read. */
const known = new WeakMap<MirrorLayout, { of: readonly unknown[]; names: Names }>();

/** The names of the columns in which a backward pass began, with the numbers that passes have in the whole run. */
export function passNames(layout: MirrorLayout, history: Pick<History, 'calls'>): Names {
  // Each frame asks several times, and a long run has hundreds of passes.
  const of = [layout.read, layout.chunks.length, layout.chunks.at(-1), history.calls.length];
  const before = known.get(layout);
  if (before?.of.every((one, i) => one === of[i])) return before.names;
  const names = newNames(layout, history);
  known.set(layout, { of, names });
  return names;
}

function newNames(layout: MirrorLayout, { calls }: Pick<History, 'calls'>): Names {
  const { columns } = layout;
  const rounds = roundsByColumn(layout);
  const names = new Map<Column, PassName>();
  let at = 0;
  for (const column of columns) {
    const own = column.calls.entries;
    const [begun, ended] = [own[0], own.at(-1)];
    if (begun === undefined || ended === undefined) continue;
    while (at < calls.length && calls[at]!.event.call !== begun) at += 1;
    const first = at + 1;
    while (at < calls.length && calls[at]!.event.call !== ended) at += 1;
    if (at === calls.length) break;
    const round = rounds.get(column.index);
    if (round !== undefined) names.set(column, { number: round, name: say.round(round), short: String(round) });
    else names.set(column, { number: first, name: say.passes(first, at + 1), short: say.fromTo(first, at + 1) });
  }
  return names;
}

/** The numbers of columns that are each a round of one loop; those of a round with several passes are told apart by these. */
function roundsByColumn(layout: MirrorLayout): Map<number, number> {
  const found = [...roundsOf(layout)].filter(([{ up }]) => !up);
  const columns = new Map(found.map(([{ column }, round]) => [column, round]));
  const isEach = new Set(columns.values()).size === columns.size;
  const loops = new Set([...columns.values()].map(({ outer }) => outer));
  if (!isEach || loops.size !== 1) return new Map();
  return new Map([...columns].map(([column, { event }]) => [column, event.round]));
}
