// The place on the stage that the answer to a question belongs to, which is kept in view while the question is open.

import { tick } from 'svelte';
import type { Item } from '../../layout/graph';
import type { Rect } from '../../layout/rect';
import type { Place } from '../../protocol/lessons';
import type { Scene } from '../../scene/scene';
import type { Workbench } from '../../workbench/workbench.svelte';
import { itemOf, placeOf, type QuestionPlace, type Slot, slotOf } from './question-place';

/** What is asked: an expression, the moment that it is about, and whether its value is typed or chosen. */
export type Asked = { ask: string; moment: Place | null; isTyped: boolean; isOpen: boolean };

export class StagePlace {
  constructor(
    private readonly bench: Workbench,
    private readonly asked: () => Asked,
  ) {
    $effect(() => {
      bench.run?.cursor;
      if (!this.#item || !asked().isOpen || bench.playback.playing) return;
      let isLeft = false;
      // After the stage has moved to the step.
      void tick().then(() => isLeft || this.visit());
      return () => {
        isLeft = true;
      };
    });
  }

  /** What the answer is about, by the names that the program has at the moment of the question. */
  readonly about: QuestionPlace | null = $derived.by(() => {
    const { run } = this.bench;
    const { ask, moment, isTyped } = this.asked();
    if (!run || moment === null || run.length <= moment.step) return null;
    return placeOf(ask, run.timeline.stateAt(moment.step), isTyped);
  });

  /** Where the stage shows that; null where it does not. */
  readonly slot: Slot | null = $derived.by(() => {
    const scene = this.about && this.bench.view?.picture()?.scene;
    return scene ? slotOf(this.about!, scene) : null;
  });

  /** What is written before the answer: beside a tensor its name is read there, where it is still to be made it is said. */
  readonly label: string = $derived.by(() => {
    const { ask, isTyped } = this.asked();
    const isToCome = this.slot?.side === 'over' && this.about?.slot === 'value';
    return isTyped && isToCome ? ask : (this.about?.label ?? '');
  });

  readonly #item: Item | null = $derived.by(() => {
    const scene = this.slot && this.bench.view?.picture()?.scene;
    return scene && this.about ? itemOf(this.about, scene) : null;
  });

  /** Give the rectangle of the place in a scene. */
  readonly rectIn = (scene: Scene): Rect | null => (this.about ? (slotOf(this.about, scene)?.rect ?? null) : null);

  /** Bring the place into view. */
  visit(): void {
    if (this.#item) this.bench.view?.visit(this.#item);
  }
}
