// The columns of the stage by the backward passes that began in them.

import type { Column } from '../layout/placed';
import * as say from '../messages/pictures';
import type { History } from '../timeline/history';

/** The name of a column: the number of its first pass, `pass 2`, and `2` for where there is less room. */
export type PassName = { number: number; name: string; short: string };

/** The names of the columns in which a backward pass began, with the numbers that passes have in the whole run. */
export function passNames(columns: readonly Column[], { calls }: Pick<History, 'calls'>): Map<Column, PassName> {
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
    names.set(column, { number: first, name: say.passes(first, at + 1), short: say.fromTo(first, at + 1) });
  }
  return names;
}
