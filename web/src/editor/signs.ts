// The signs at lines of the program, for whatever draws them.

import * as say from '../messages/editor';
import type { Marks, MomentLine } from './marks';

export const TITLES: Record<MomentLine['phase'], string> = {
  forward: say.thisStep,
  backward: say.madeWhatRuns,
  call: say.passUnderWay,
  error: say.theError,
  blamed: say.whereTheErrorComesFrom,
  lit: say.inTheAnswer,
  stale: say.lastRunStep,
  paused: say.theProgramIsPausedHere,
};

/** The sign of each line that has one, of `count` lines: what is now is before what led to it, and that before what an answer names. */
export function signsOf(marks: Marks, count: number): MomentLine[] {
  const signs = new Map<number, MomentLine['phase']>();
  const sign = (line: number | null | undefined, phase: MomentLine['phase']) => {
    if (line != null && line >= 1 && line <= count && !signs.has(line)) signs.set(line, phase);
  };
  sign(marks.paused, 'paused');
  sign(marks.moment?.line, marks.moment?.phase ?? 'forward');
  sign(marks.call, 'call');
  for (const line of marks.blamed) sign(line, 'blamed');
  for (const { line } of marks.versions) sign(line, 'blamed');
  for (const line of marks.lit) sign(line, 'lit');
  return [...signs].map(([line, phase]) => ({ line, phase }));
}
