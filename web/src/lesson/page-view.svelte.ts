// What the panel of a lesson and its slides share: they follow its pages, keep what comes on a page in view, and are left.

import { tick, untrack } from 'svelte';
import type { Workbench } from '../workbench/workbench.svelte';
import type { Play } from './play.svelte';

/** Brings each page that is opened to the stage, and turns pages for the page's keys; `goOn` is the way forward. */
export function followPages(bench: Pick<Workbench, 'turnLesson'>, play: Play, goOn: () => void): void {
  $effect(() => {
    play.index;
    untrack(() => play.arrive());
  });
  $effect(() => play.follow());
  $effect(() => {
    bench.turnLesson = (by) => (by === 1 ? goOn() : play.turn(-1));
    return () => (bench.turnLesson = null);
  });
}

/** Closes the lesson; where nothing was run the page would be empty, so its usual example is opened. */
export function leaveLesson(bench: Workbench): void {
  bench.lesson = null;
  if (!bench.run && !bench.pending) void bench.open('');
}

/** The element that has the text of a page: it begins at its top, and shows the feedback to an answer when that comes. */
export class PageBody {
  element = $state<HTMLElement | null>(null);
  /** It is longer than its room: keys can scroll it, also where nothing in it takes the keyboard. */
  scrolls = $state(false);

  constructor(play: Play, feedback: () => unknown) {
    $effect(() => {
      play.index;
      void tick().then(() => this.element?.scrollTo(0, 0));
    });
    $effect(() => {
      play.index;
      const isThere = Boolean(feedback());
      void tick().then(() => {
        if (isThere) this.element?.querySelector('.feedback')?.scrollIntoView({ block: 'nearest' });
        this.#measure();
      });
    });
    $effect(() => {
      const { element } = this;
      if (!element) return;
      const watcher = new ResizeObserver(() => this.#measure());
      watcher.observe(element);
      return () => watcher.disconnect();
    });
  }

  #measure(): void {
    const { element } = this;
    if (element) this.scrolls = element.scrollHeight > element.clientHeight + 1;
  }
}
