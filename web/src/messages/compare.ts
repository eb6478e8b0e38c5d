// Texts of the comparison of two runs.

import { bytes, counted, number, shape } from '../format/number';
import type { Summary } from '../protocol/events';
import { lineText } from '../protocol/file-lines';

export const compare = 'Compare with another run';
export const differences = 'Differences';
export const nothingToCompare =
  'Keep this run as the baseline, change the program and run it: what differs is listed here, from the first difference on.';
export const notKept = (nbytes: number) =>
  `The run before the edit was not kept: its ${bytes(nbytes)} of events are too many to keep twice. To compare long runs, keep one as the baseline before editing.`;
export const noRun = 'Run a program first.';
export const keepAsBaseline = 'Keep this run as the baseline';
export const keepThisInstead = 'Keep this run instead';
export const openBaseline = 'Open a trace as the baseline';
export const forget = 'Forget the baseline';
export const ownProgram = 'your program';
export const baselineIs = (name: string, steps: number) => `Baseline: ${name}, ${counted(steps, 'step')}.`;
export const thisIsTheBaseline = 'This run is the baseline. Change the program and run it, or open another run.';
export const underWay = 'This run is under way; it is compared when it is over.';
export const comparing = 'Comparing the runs.';
export const progress = 'Progress';
export const cancel = 'Cancel';
export const calledOff = 'The comparison was called off.';
export const compareThem = 'Compare the runs';
export const same = (steps: number, tolerance: number) =>
  `No difference in ${counted(steps, 'step')}${tolerance > 0 ? ` of more than ${within(tolerance)}` : ''}.`;
export const found = (count: number) => `${counted(count, 'difference')}.`;
export const gradsThatDiffer = (names: readonly string[], more: number) =>
  `.grad differs: ${names.join(', ')}${more > 0 ? `, and ${more} more` : ''}.`;
export const gradsAreTheSame = 'Every .grad is the same.';
export const cut = (steps: number) => `Only the first ${counted(steps, 'step')} of each run are compared.`;
export const listed = (most: number) => `The first ${number(most)} are listed.`;
export const first = 'First difference';
export const previous = 'Previous difference';
export const next = 'Next difference';
export const tolerance = 'Ignore up to';
export const show = 'Show';
export const all = (count: number) => `all ${number(count)}`;
export const one = (kind: string, count: number) => `${kind} (${number(count)})`;
export const within = (tolerance: number) => (tolerance === 0 ? 'nothing' : number(tolerance));
export const columns = {
  what: 'what',
  where: 'where',
  line: 'line',
  base: 'baseline',
  here: 'this run',
  by: 'by',
} as const;
export const byMeans = 'Norm of the difference over the norm of the baseline’s value';
export const kinds = {
  value: 'value',
  gradient: 'gradient',
  '.grad': '.grad',
  parameter: 'parameter',
  argument: 'argument',
  tape: 'grad_fn',
  printed: 'print',
  warning: 'warning',
  error: 'error',
  options: 'options',
  ending: 'ending',
  op: 'other op',
  shape: 'shape',
  gone: 'only in the baseline',
  added: 'only in this run',
} as const;
/** On the stage, where there is little room. */
export const signs: Partial<Record<keyof typeof kinds, string>> = { added: 'new', op: 'op', tape: 'grad_fn' };
export const none = 'none';
export const absent = '–';
export const atLeast = (text: string) => `≥ ${text}`;
export const boundless = '∞';
/** A value that is too long to be written: its norm, and how much of it has no part in that. */
export const normed = ({ norm, nan_count, inf_count, shape: dims }: Summary) =>
  [
    norm === null ? shape(dims) : `‖${number(norm)}‖`,
    nan_count > 0 ? `${number(nan_count)} NaN` : '',
    inf_count > 0 ? `${number(inf_count)} Inf` : '',
  ]
    .filter(Boolean)
    .join(', ');
export const lines = (base: number | null, here: number | null) =>
  base === null || here === null || base === here ? `${here ?? base ?? ''}` : `${base} → ${here}`;
export const thisStep = 'This step';
export const baselineStep = 'Baseline, same step';
export const baselineBefore = 'Baseline has no such step; it had come to';
export const beforeFirstStep = 'Before the first step.';
export const notATrace = (name: string, problem: string) => `${name}: ${problem}`;
export const sameAsBefore = (steps: number | null) =>
  steps === null
    ? 'The same as before the edit: no step differs.'
    : `The same as before the edit in the first ${counted(steps, 'step')}.`;
export const runBeforeTheEdit = 'the run before the edit';
const firstAt = (line: number | null) => (line === null ? 'Differs first' : `Differs first at line ${lineText(line)}`);
export const differsFirst = (line: number | null, label: string, base: string, here: string) =>
  `${firstAt(line)}: ${label ? `${label}, ` : ''}${base} → ${here}.`;
export const otherError = (line: number | null, base: string, here: string) =>
  `${firstAt(line)}: ${here} now, ${base} before.`;
export const onlyNow = (line: number | null, label: string) => `${firstAt(line)}: ${label} is new.`;
export const onlyBefore = (line: number | null, label: string) => `${firstAt(line)}: ${label} is gone.`;
export const showIt = 'Show';
export const closeIt = 'Close this message';
