// What lies beside the stage in a long run: it comes a frame later, so that the stage, the caption and the timeline are there
// at once.

import { untrack } from 'svelte';

/** Follows what `read` gives: at once, or after the frame that is under way as long as it `lags`. */
export function behind<T>(read: () => T, lags: () => boolean): { readonly current: T } {
  let kept = $state.raw(untrack(read));
  let latest = kept;
  let waiting = false;
  $effect(() => {
    latest = read();
    if (!lags()) kept = latest;
    else if (!waiting) {
      waiting = true;
      requestAnimationFrame(() =>
        setTimeout(() => {
          waiting = false;
          kept = latest;
        }),
      );
    }
  });
  const current = $derived(lags() ? kept : read());
  return {
    get current() {
      return current;
    },
  };
}
