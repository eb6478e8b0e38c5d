// What lies beside the stage in a long run: it comes a frame later, so that the stage, the caption and the timeline are there
// at once.

import { tick, untrack } from 'svelte';

/** Parts of the time that it rests for each part that it took: while one drags along a run, most is left for the stage. */
const REST = 3;

/**
 * Follows what `read` gives: at once, or as long as it `lags` after the frame that is under way, or once nothing has changed
 * for `rest` milliseconds.
 */
export function deferred<T>(read: () => T, lags: () => boolean, rest = 0): { readonly current: T } {
  const first = untrack(read);
  let kept = $state.raw(first);
  let latest = first;
  let waiting = false;
  let notBefore = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  $effect(() => () => clearTimeout(timer));
  $effect(() => {
    latest = read();
    clearTimeout(timer);
    if (!lags()) kept = latest;
    else if (rest > 0) {
      timer = setTimeout(() => {
        kept = latest;
      }, rest);
    } else if (!waiting) {
      waiting = true;
      const wait = notBefore - performance.now();
      if (wait > 0) setTimeout(afterFrame, wait);
      else afterFrame();
    }
  });
  const afterFrame = () => requestAnimationFrame(() => setTimeout(take));
  function take(): void {
    waiting = false;
    const begun = performance.now();
    kept = latest;
    void tick().then(() => {
      const now = performance.now();
      notBefore = now + REST * (now - begun);
    });
  }
  const current = $derived(lags() ? kept : read());
  return {
    get current() {
      return current;
    },
  };
}
