// The line that the program was at in each moment: within a backward pass it is that of the call.

import type { Run } from '../../run/run.svelte';

/** A run as its log has it. */
export type Recorded = Pick<Run, 'log' | 'timeline' | 'firstNans'>;

const known = new WeakMap<object, (number | null)[]>();

/** The line that the program was at in a moment, null before the first line. */
function runningLine({ timeline, log }: Recorded, index: number): number | null {
  const lines = known.get(timeline.moments) ?? [];
  known.set(timeline.moments, lines);
  for (let at = lines.length; at <= index; at += 1) {
    const moment = timeline.moments[at]!;
    let own: number | null = null;
    // A node has the line that made it; where the program is at says the event.
    for (let seq = moment.first; seq <= moment.last; seq += 1) {
      const kind = log.kindAt(seq);
      if (kind !== moment.kind && kind !== 'node_started') continue;
      own = log.at(seq)!.line;
      break;
    }
    lines.push(own ?? lines[at - 1] ?? null);
  }
  return lines[index] ?? null;
}

/** Whether the program came to a line of the page's numbers with a moment. */
export function begins(run: Recorded, index: number, line: number): boolean {
  return runningLine(run, index) === line && (index === 0 || runningLine(run, index - 1) !== line);
}
