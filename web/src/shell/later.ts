// The parts of the page that are fetched later. Each is fetched when it is needed; those that may be needed when the server is
// gone are fetched while there is time.

import { EventLog } from '../store/log';
import { back, download } from '../workbench/actions';
import { linkCopy } from '../workbench/link/share.svelte';

export const later = {
  /** The rooms of a narrow page. */
  phone: () => import('./PhoneRooms.svelte'),
  /** What is selected. */
  inspector: () => import('../inspector/pages/Inspector.svelte'),
  /** Keys and signs. */
  legend: () => import('./Legend.svelte'),
  /** The palette of commands. */
  palette: () => import('../palette/Palette.svelte'),
  /** The steps as a table. */
  table: () => import('../table/EventTable.svelte'),
  /** The panel of the examples. */
  examples: () => import('../examples/ExampleList.svelte'),
  /** A lesson. */
  lesson: () => import('../lesson/LessonRoom.svelte'),
  /** Moments that are collected into a lesson. */
  lecture: () => import('../lecture/LectureRoom.svelte'),
  /** What the server says about a run: the line, limits. */
  notices: () => import('./RunNotices.svelte'),
  /** Search and filters. */
  find: () => import('../find/FindRoom.svelte'),
  /** Stepping through a program that is paused. */
  steps: () => import('../debugger/StepBar.svelte'),
  /** The whole run above a part of it. */
  overview: () => import('../scrubber/Overview.svelte'),
  /** What is watched, over the whole run. */
  curves: () => import('../curves/CurveStrip.svelte'),
  /** Loss, gradient norms and lives of buffers over the run. */
  strips: () => import('../strips/StripRoom.svelte'),
  /** What differs from another run. */
  compare: () => import('../compare/CompareRoom.svelte'),
  /** Where a run differs first from the one before the edit. */
  difference: () => import('../compare/FirstDifference.svelte'),
  /** The offers at the end of a pass. */
  next: () => import('../stage/WhatNext.svelte'),
  /** A note on the run, at its step. */
  note: () => import('../noticed/ShownNote.svelte'),
  /** What a paused program holds, and where it is to stop. */
  debugger: () => import('../debugger/DebuggerPanel.svelte'),
  /** Questions about time. */
  back,
  /** Trace files. */
  trace: () => import('../trace/trace'),
  /** Files of the run and of moments of it. */
  exports: () => import('../export/ExportRoom.svelte'),
  /** A link to the moment. */
  copy: linkCopy,
  /** The run as a file. */
  download,
  /** The way in for those without the token. */
  locked: () => import('./Locked.svelte'),
};

/** After the first run has had its time. */
const PATIENCE_MS = 1500;

/**
 * Fetches what may be needed when the server is gone, one after the other; what fails is tried again when it is needed.
 * Then the layout is rehearsed.
 */
export function fetchAhead(): void {
  setTimeout(async () => {
    for (const part of [
      later.notices,
      later.phone,
      later.inspector,
      later.legend,
      later.palette,
      later.table,
      later.examples,
      later.steps,
      later.find,
      later.overview,
      later.strips,
      later.compare,
      later.difference,
      later.next,
      later.note,
      later.debugger,
      later.back,
      later.exports,
      later.copy,
      later.download,
    ])
      await part().catch(() => {});
    await later
      .trace()
      .then(({ fetchReader }) => fetchReader())
      .catch(() => {});
    await import('../inspector/formulas/katex').then(({ loadKatex }) => loadKatex()).catch(() => {});
    await import('../layout/rehearsal').then(({ rehearse }) => rehearse(() => new EventLog())).catch(() => {});
  }, PATIENCE_MS);
}
