// The scene: what is shown at one moment, as meanings and geometry without colours.

import type { MirrorLayout } from '../layout/mirror';
import type { Rect } from '../layout/rect';
import type { RunState } from '../timeline/state';
import type { Target } from './target';

export type { Rect } from '../layout/rect';
export type SceneOptions = { selection: Target | null; hover: Target | null };

export class Scene {
  constructor(
    readonly state: RunState,
    readonly layout: MirrorLayout,
    readonly options: SceneOptions,
  ) {}

  /** All that is placed, seen or not. */
  get bounds(): Rect {
    return this.layout.bounds;
  }
}

/** The scene of a state. */
export function buildScene(state: RunState, layout: MirrorLayout, options: SceneOptions): Scene {
  return new Scene(state, layout, options);
}
