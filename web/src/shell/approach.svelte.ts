// Counts down to an end that the server announced.

import type { Notice } from '../transport/notice';

type Limit = Extract<Notice, { seconds_left: number }>;

/** Of limits that are near the nearest one, or when a refused start is tried again. */
export function nearest(notices: readonly Notice[]): Limit | null {
  const near = notices.filter((notice) => 'seconds_left' in notice);
  return near.sort((one, other) => one.seconds_left - other.seconds_left)[0] ?? null;
}

/** What is near, and the whole seconds that are left; must be made while a component is being made. */
export class Approach {
  limit = $state.raw<Limit | null>(null);
  left = $state(0);

  constructor(run: () => { notices: readonly Notice[] } | null) {
    $effect(() => {
      const limit = nearest(run()?.notices ?? []);
      this.limit = limit;
      if (!limit) return;
      const end = performance.now() + limit.seconds_left * 1000;
      const count = () => {
        this.left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
      };
      count();
      const timer = setInterval(count, 250);
      return () => clearInterval(timer);
    });
  }
}
