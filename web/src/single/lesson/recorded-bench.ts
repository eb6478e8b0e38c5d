// The page's model in a file that holds one lesson: a program that is to be run is shown as it was recorded.

import type { Event } from '../../protocol/events';
import type { Lesson } from '../../protocol/lessons';
import { Run } from '../../run/run.svelte';
import { readLesson } from '../../workbench/link/link';
import { Workbench } from '../../workbench/workbench.svelte';

export type RecordedProgram = { source: string; seed: number; events: Event[] };

export class RecordedBench extends Workbench {
  constructor(
    readonly recorded: Lesson,
    readonly programs: readonly RecordedProgram[],
  ) {
    super(false);
  }

  /** Opens the page of the lesson that a fragment names; without one, its first page. */
  override async open(fragment: string): Promise<void> {
    const { name } = this.recorded;
    this.lesson = { name, page: readLesson(fragment)?.page ?? 1 };
  }

  override runLesson(source: string, seed: number): void {
    this.edit(source);
    this.seed = seed;
    this.begin(-1);
  }

  /** Shows the recording of the program in the editor, if there is one: the lesson's own and the solutions are recorded. */
  override begin(at: number | null = null): void {
    const { draft, seed } = this;
    const found = this.programs.find((one) => one.source === draft && one.seed === seed);
    if (!found) return;
    const run = Run.recorded(at);
    run.take(found.events);
    run.settle();
    this.leave();
    this.show(run, null);
    this.seed = seed;
  }
}
