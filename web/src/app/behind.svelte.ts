// What lies beside the stage in a long run: it comes a frame later, so that the stage, the caption and the timeline are there
// at once.

import { untrack } from 'svelte';

/**
 * Follows what `read` gives: at once, or as long as it `lags` after the frame that is under way, or once nothing has changed
 * for `rest` milliseconds.
 */
export function behind<T>(read: () => T, lags: () => boolean, rest = 0): { readonly current: T } {
  const first = untrack(read);
  let kept = $state.raw(first);
  let latest = first;
  let waiting = false;
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
