// Keeps the address and the page at the same moment: the address follows quietly, going back opens what it names.

import type { Workbench } from './workbench.svelte';

const QUIET_MS = 300;

/** Ties a workbench to the address; must be called while a component is being made. */
export function trackAddress(bench: Workbench): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shown = bench.program;

  $effect(() => {
    const program = bench.program;
    bench.run?.cursor;
    bench.selection;
    if (!bench.run || bench.pending || bench.playback.playing) return;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const hash = `#${await bench.link()}`;
      if (hash === location.hash) return;
      // Another program is a place to come back to; another moment of it is not.
      if (program !== shown && shown !== null) history.pushState(null, '', hash);
      else history.replaceState(null, '', hash);
      shown = program;
    }, QUIET_MS);
    return () => clearTimeout(timer);
  });

  $effect(() => {
    const back = () => {
      clearTimeout(timer);
      shown = null;
      void bench.open(location.hash);
    };
    addEventListener('popstate', back);
    return () => removeEventListener('popstate', back);
  });
}
