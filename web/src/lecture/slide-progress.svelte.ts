// How far the reader is in a lecture: for as long as it is open, because it has no name under which it could be kept.

import type { LessonProgress } from '../learn/progress.svelte';

export class SlideProgress {
  #now = $state.raw<LessonProgress>({ page: 1, pages: 1, finished: false, solved: [] });

  of(): LessonProgress {
    return this.#now;
  }

  reach(_name: string, page: number, pages: number): void {
    this.#now = { ...this.#now, page, pages, finished: this.#now.finished || page >= pages };
  }

  solve(_name: string, line: number): void {
    if (!this.#now.solved.includes(line)) this.#now = { ...this.#now, solved: [...this.#now.solved, line] };
  }
}
