// The sum of a step: what it computes with this step's numbers, as lines of text.

import { Naming } from '../caption/naming';
import { CARD_CHARS, cutName } from '../layout/size';
import { more } from '../messages/notes';
import type { NodeStarted, OpApplied } from '../protocol/events';
import type { OpEntry } from '../run/api';
import { ROW_ON, type StepSum } from '../scene/parts/parts';
import type { RunState } from '../timeline/state';
import { backwardSums, type Followed } from './backward-sum';
import type { Made } from './forward-op';
import { forwardSum } from './forward-sum';
import type { Sum } from './sum-text';

const MOST_LINES = 3;
/** A line of more characters is broken where room is short. */
const MOST_WIDE = 24;

/** The name of what a module has, as `model.fc.weight`. */
const PATH = /[A-Za-z_]\w*(?:\.\w+)+/g;

/** The elements that the reader follows: of what nodes send, and of the results of ops; null for none. */
export type Following = { sent: Followed; made(op: OpApplied): Made | null };

/** The sum of the step of a state; null where it computes nothing, or the catalogue has no formula for it. */
export function stepSum(state: RunState, ops: readonly OpEntry[], following?: Following): StepSum | null {
  const started = startOf(state);
  const naming = new Naming(state);
  if (started) {
    const sums = backwardSums(started, state, ops, naming, following?.sent);
    return sums.length > 0 ? { node: started.node, ...linesOf(sums) } : null;
  }
  const op = state.events.findLast((event) => event.kind === 'op_applied' && event.during === null);
  const sum = op?.kind === 'op_applied' ? forwardSum(op, state, naming, ops, following?.made(op)) : null;
  return op?.kind === 'op_applied' && sum ? { op, ...linesOf([sum]) } : null;
}

/** The start of the node that runs in the step of a state, or at which it stopped with an error. */
function startOf({ events, history, seq }: RunState): NodeStarted | null {
  for (const event of events) {
    if (event.kind === 'node_started') return event;
    if (event.kind !== 'error_raised' || event.node === null) continue;
    const started = history.nodes.get(event.node)?.starts.at(seq);
    if (started?.kind === 'node_started') return started;
  }
  return null;
}

/** The lines of some sums: receivers of one sum share its line. */
function linesOf(sums: readonly Sum[]): Pick<StepSum, 'lines' | 'narrow'> {
  const groups = new Map<string, Sum & { all: string[] }>();
  for (const sum of sums) {
    const key = JSON.stringify([sum.parts, sum.arrow]);
    const group = groups.get(key);
    if (group) group.all.push(sum.to);
    else groups.set(key, { ...sum, all: [sum.to] });
  }
  const isOne = sums.length === 1;
  const lines: string[][] = [];
  const narrow: string[][] = [];
  for (const { parts, arrow, all } of groups.values()) {
    const to = all.filter(Boolean).join(', ');
    const steps = parts.map((_, i) => parts.slice(0, i + 1).join(' = '));
    const whole = steps.at(-1) ?? '';
    const end =
      arrow !== null
        ? `→ ${isOne || !to ? '' : `${to}${arrow.startsWith('‖') ? '' : ':'} `}${arrow}`
        : to && (!isOne || parts.length === 1)
          ? `→ ${to}`
          : '';
    // What arrives is seen when the node wakes, what is computed when it leaves.
    lines.push([...(arrow === null ? steps.slice(0, -1) : steps), `${whole} ${end}`.trim()]);
    narrow.push(...rowsOf(parts.map(onCards), onCards(end)));
  }
  if (groups.size <= MOST_LINES) return { lines, narrow };
  const first = [...lines.slice(0, MOST_LINES - 1), [more(groups.size - MOST_LINES + 1)]];
  return { lines: first, narrow: first };
}

/** The text with long names as cards have them. */
function onCards(text: string): string {
  return text.replace(PATH, (name) => cutName(name, CARD_CHARS));
}

/** A line in rows: where it is long, the result and what gets it are in a row of their own. */
function rowsOf(parts: readonly string[], end: string): string[][] {
  const steps = parts.map((_, i) => parts.slice(0, i + 1).join(' = '));
  const whole = steps.at(-1) ?? '';
  if ([...whole, ...end].length < MOST_WIDE || whole === '') return [[...steps.slice(0, -1), `${whole} ${end}`.trim()]];
  if ([...whole].length <= MOST_WIDE || parts.length === 1) return end ? [steps, ['', `${ROW_ON}${end}`]] : [steps];
  return [steps.slice(0, -1), ['', `${ROW_ON}= ${parts.at(-1)!} ${end}`.trimEnd()]];
}
