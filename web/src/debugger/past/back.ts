// Questions about time: goes back to the last breakpoint, to the first NaN, to the last write of a tensor or an element.

import { reasonOf } from '../../format/reason';
import * as say from '../../messages/past-questions';
import { ServerError } from '../../run/api';
import { sessionOf } from '../../run/lent';
import { findStops } from '../../run/past';
import type { Run } from '../../run/run.svelte';
import type { DebuggerPage } from '../debugger.svelte';
import { lastWrite, type Written } from './last-write';
import { readTyped, tensorNamed } from './named';
import { lastStop, needsProgram } from './past-stops';

/** Another question, or another run, has taken the place of one that is not answered yet. */
let latest = 0;

/** Goes back to the last moment at which a breakpoint stops. */
export async function backToBreakpoint(page: DebuggerPage): Promise<void> {
  const { run } = page;
  if (!run) return;
  const breakpoints = page.debugger.breakpoints.sent();
  if (breakpoints.length === 0) return tell(page, say.noBreakpoint);
  const here = run.cursor;
  const counted = breakpoints.filter(needsProgram);
  const plain = breakpoints.filter((one) => !needsProgram(one));
  let found = lastStop(run, here, plain);
  let problem = '';
  if (counted.length > 0 && here > 0) {
    latest += 1;
    const asked = latest;
    const session = sessionOf(run);
    const before = run.timeline.moments[here - 1]!.last;
    try {
      if (session === null) throw new ServerError(say.conditionsNeedTheProgram);
      const { stops, leftOut } = await findStops(session, { seq: before, breakpoints: counted });
      const last = stops.map(({ seq }) => run.timeline.momentOfSeq(seq)).findLast((index) => index < here) ?? -1;
      found = Math.max(found, last);
      if (leftOut) problem = say.stopsTooOften;
    } catch (error) {
      problem = reasonOf(error);
    }
    if (asked !== latest || page.run !== run) return;
  }
  if (found >= 0) goTo(page, found);
  else if (!problem)
    return tell(page, lastStop(run, here + 1, plain) === here ? say.atTheFirstBreakpoint : say.atNoBreakpoint);
  if (problem) tell(page, `${found >= 0 ? say.conditionsLeftOut : ''}${problem}`);
}

/** Goes back to where the first NaN or infinity came into numbers that were finite. */
export function backToNan(page: DebuggerPage): void {
  const { run } = page;
  if (!run) return;
  const first = run.firstNans.seqs[0];
  const moment = first === undefined ? run.cursor : run.timeline.momentOfSeq(first);
  if (moment < run.cursor) goTo(page, moment);
  else tell(page, say.noNanBefore);
}

/** What the reader points at: an element that was asked about, or the tensor that is selected. */
export function pointedAt({ run, selection, asked }: DebuggerPage): Written | null {
  if (asked?.about === 'element' && asked.tensor !== undefined && asked.element)
    return { tensor: asked.tensor, of: 'data', element: asked.element };
  if (selection?.type === 'tensor') return { tensor: selection.tensor, of: 'data', element: null };
  if (selection?.type === 'node') {
    const leaf = run?.timeline.history.nodes.get(selection.node)?.leaf ?? null;
    return leaf === null ? null : { tensor: leaf, of: 'grad', element: null };
  }
  return null;
}

/** Goes back to the last write of what is selected, or of what was typed: `w`, `w.grad`, `w[0, 1]`. */
export async function backToWrite(page: DebuggerPage, typed: string | null = null): Promise<void> {
  const { run } = page;
  if (!run) return;
  const wanted = typed === null ? pointedAt(page) : readWritten(run, typed);
  if (!wanted) return tell(page, typed === null ? say.selectATensor : say.noTensorOfThatName(typed));
  latest += 1;
  const asked = latest;
  try {
    const before = run.timeline.moments[run.cursor]?.first ?? 0;
    const found = await lastWrite(run, wanted, before, sessionOf(run));
    if (asked !== latest || page.run !== run) return;
    const name = typed?.trim() ?? say.it;
    if ('unknown' in found) tell(page, say.elementNotRecorded(name));
    else if ('noElement' in found) tell(page, say.noSuchElement(name));
    else if (found.seq === null) tell(page, say.notWrittenBefore(name));
    else goTo(page, run.timeline.momentOfSeq(found.seq));
  } catch (error) {
    tell(page, reasonOf(error));
  }
}

function readWritten(run: Run, text: string): Written | null {
  const typed = readTyped(text);
  const tensor = typed && tensorNamed(run.log, typed.name, run.seq);
  if (!typed || tensor === null) return null;
  return { tensor, of: typed.grad ? 'grad' : 'data', element: typed.element };
}

let told: DebuggerPage['notice'] = null;

function tell(page: DebuggerPage, text: string): void {
  told = { tone: 'plain', text };
  page.notice = told;
}

/** Goes to a moment, and takes away what an earlier question was answered with. */
function goTo(page: DebuggerPage, moment: number): void {
  if (told !== null && page.notice === told) page.notice = null;
  page.moveTo(moment);
}
