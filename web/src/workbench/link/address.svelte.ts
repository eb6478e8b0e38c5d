// Keeps the address and the page at the same moment: the address follows quietly, going back opens what it names.

import { panels } from '../../widgets/panels.svelte';
import { keepDraft } from '../kept-draft';
import type { Workbench } from '../workbench.svelte';
import { writeLesson } from './link';

const QUIET_MS = 300;
/** While a program runs the moment never rests; browsers refuse an address that is rewritten too often. */
const RUNNING_MS = 1000;

/** Ties a workbench to the address; must be called while a component is being made. */
export function trackAddress(bench: Workbench): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shown = bench.program;

  $effect(() => {
    bench.program;
    bench.run?.cursor;
    bench.run?.connection.session;
    bench.selection;
    bench.folds;
    bench.why.shown;
    bench.find.query;
    bench.find.filters;
    bench.looking;
    bench.notes.all;
    panels.table;
    panels.rows;
    bench.draft;
    bench.debugger.breakpoints.all;
    bench.debugger.watches;
    bench.debugger.prints;
    const { lesson } = bench;
    if (!lesson) {
      if (!bench.run || bench.pending || bench.rerun?.active) return;
      keepDraft(bench.run.connection.session, bench.stale ? bench.draft : null);
      if (bench.playback.playing) return;
    }
    // A run that moves on must not put off its own address for ever: a reload would not find it.
    const running = bench.running;
    if (running && !lesson && timer !== undefined) return;
    clearTimeout(timer);
    timer = setTimeout(
      async () => {
        timer = undefined;
        if (!bench.lesson && (!bench.run || bench.pending)) return;
        // Each page of a lesson is a place to come back to.
        const program = bench.lesson ? writeLesson(bench.lesson) : bench.program;
        const hash = `#${await bench.link({ run: true })}`;
        if (hash === location.hash) {
          shown = program;
          return;
        }
        // The session that the page was opened with is in the hash now, or was left.
        const address = new URL(location.href);
        address.searchParams.delete('session');
        address.searchParams.delete('refused');
        address.hash = hash;
        // Another program is a place to come back to; another moment of it is not.
        if (program !== shown && shown !== null) history.pushState(null, '', address);
        else history.replaceState(null, '', address);
        shown = program;
      },
      lesson ? 0 : running ? RUNNING_MS : QUIET_MS,
    );
  });

  $effect(() => {
    const back = () => {
      clearTimeout(timer);
      timer = undefined;
      shown = null;
      void bench.open(location.hash);
    };
    addEventListener('popstate', back);
    return () => removeEventListener('popstate', back);
  });
}
