// Writes the place where the reader is as a link.

import { writeBreakpoint } from '../../debugger/breakpoint';
import { keyOfFilter } from '../../find/filter';
import { writeInquiry } from '../../run/subject';
import { writeFolds } from '../../scene/fold/folds';
import { keyOf } from '../../scene/target';
import type { Workbench } from '../workbench.svelte';
import { writeRooms, writeView } from './arrangement';
import { writeLesson, writeLink } from './link';

/** The fragment that brings back the program, cursor and selection of a page; with `run`, this very run of it. */
export async function linkTo(bench: Workbench, { run = false } = {}): Promise<string> {
  if (bench.lesson) return writeLesson(bench.lesson);
  return writeLink({
    run: run ? (bench.run?.connection.session ?? null) : null,
    // What was edited since is another program: a link brings it, a place to come back to is the run's own.
    program: !bench.served
      ? null
      : bench.example
        ? { example: bench.example }
        : { source: run && bench.run ? bench.run.source : bench.draft },
    at: bench.run && bench.run.length > 0 ? bench.run.cursor : null,
    selection: bench.selection ? keyOf(bench.selection) : null,
    breakpoints: bench.debugger.breakpoints.own.map(writeBreakpoint),
    watches: bench.debugger.watches.map(({ expression }) => expression),
    folds: writeFolds(bench.folds),
    why: bench.why.shown && !bench.why.shown.unasked ? writeInquiry(bench.why.shown) : null,
    find: bench.find.query.trim() || null,
    show: bench.find.filters.map(keyOfFilter),
    view: bench.looking && writeView(bench.looking),
    rooms: writeRooms(),
    prints: bench.debugger.prints,
    notes: bench.notes.texts,
  });
}
