// The sum of a step: what it computes with this step's numbers, as lines of text.

import { Naming } from '../caption/naming';
import { CARD_CHARS, cutPaths } from '../layout/size';
import { more } from '../messages/notes';
import type { NodeStarted, OpApplied } from '../protocol/events';
import type { OpEntry } from '../run/api';
import { ROW_ON, type StepSum, type SumLines } from '../scene/parts/parts';
import type { RunState } from '../timeline/state';
import { backwardSums, type Followed } from './backward-sum';
import type { Made } from './forward-op';
import { forwardSum } from './forward-sum';
import { type FollowedLeaf, leafSums } from './leaf/leaf-sum';
import { MOST_RULE, type Sum } from './sum-text';

const MOST_LINES = 3;
/** Of how a single leaf changes there are more. */
const MOST_OF_LEAF = 6;
/** A line of more characters is broken where room is short. */
const MOST_WIDE = 24;

/** The elements that the reader follows: of what nodes send, of the results of ops and of leaves; null for none. */
export type Following = { sent: Followed; made(op: OpApplied): Made | null; leaf?: FollowedLeaf };

/** The sum of the step of a state; null where it computes nothing, or the catalogue has no formula for it. */
export function stepSum(state: RunState, ops: readonly OpEntry[], following?: Following): StepSum | null {
  const started = startOf(state);
  const naming = new Naming(state);
  if (started) {
    const sums = backwardSums(started, state, ops, naming, following?.sent);
    if (sums.length > 0) return { node: started.node, ...linesOf(sums) };
  }
  const leaves = leafSums(state, naming, following?.leaf);
  if (leaves.length > 0) {
    const each = leaves.map(({ sums, ...leaf }) => ({
      ...leaf,
      lines: linesOf(sums, MOST_OF_LEAF).lines,
      narrow: linesOf(sums.slice(-1)).narrow,
    }));
    return { leaves: each, ...linesOf(leaves.map(({ sums }) => sums.at(-1)!)) };
  }
  if (started) return null;
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
function linesOf(sums: readonly Sum[], most = MOST_LINES): SumLines {
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
  for (const { parts, arrow, all, rows } of groups.values()) {
    const to = all.filter(Boolean).join(', ');
    const steps = parts.map((_, i) => parts.slice(0, i + 1).join(' = '));
    const whole = steps.at(-1) ?? '';
    const end =
      arrow !== null
        ? `→ ${isOne || !to ? '' : `${to}${arrow.startsWith('‖') ? '' : ':'} `}${arrow}`
        : to && (!isOne || parts.length === 1)
          ? `→ ${to}`
          : '';
    if (rows && [...whole].length > MOST_RULE) {
      lines.push(...packed(rows).map((row) => [row]));
      narrow.push(...rows.map((row, i) => [onCards(i === 0 ? row : `${ROW_ON}${row}`)]));
      continue;
    }
    // What arrives is seen when the node wakes, what is computed when it leaves.
    lines.push([...(arrow === null ? steps.slice(0, -1) : steps), `${whole} ${end}`.trim()]);
    narrow.push(...rowsOf(parts.map(onCards), onCards(end)));
  }
  if (groups.size <= most) return { lines, narrow };
  const first = [...lines.slice(0, most - 1), [more(groups.size - most + 1)]];
  return { lines: first, narrow: first };
}

/** Pieces of a long sum in as few rows as hold them. */
function packed(pieces: readonly string[]): string[] {
  const rows: string[] = [];
  for (const piece of pieces) {
    const last = rows.at(-1);
    if (last !== undefined && [...last, ...piece].length < MOST_RULE) rows.push(`${rows.pop()!} ${piece}`);
    else rows.push(last === undefined ? piece : `${ROW_ON}${piece}`);
  }
  return rows;
}

/** The text with long names as cards have them. */
function onCards(text: string): string {
  return cutPaths(text, CARD_CHARS);
}

/** A line in rows: where it is long, the result and what gets it are in a row of their own. */
function rowsOf(parts: readonly string[], end: string): string[][] {
  const steps = parts.map((_, i) => parts.slice(0, i + 1).join(' = '));
  const whole = steps.at(-1) ?? '';
  if ([...whole, ...end].length < MOST_WIDE || whole === '') return [[...steps.slice(0, -1), `${whole} ${end}`.trim()]];
  if ([...whole].length <= MOST_WIDE || parts.length === 1) return end ? [steps, ['', `${ROW_ON}${end}`]] : [steps];
  return [steps.slice(0, -1), ['', `${ROW_ON}= ${parts.at(-1)!} ${end}`.trimEnd()]];
}
