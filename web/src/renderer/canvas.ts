// Draws scenes on a canvas, and animates a step for as long as something moves.

import type { Scene } from '../scene/scene';
import type { Target } from '../scene/target';
import { Camera } from './camera';
import type { ThemeTokens } from './tokens';

/** How a scene comes in: as one gesture from the scene before, over a number of milliseconds. */
export type Transition = { from: Scene; durationMs: number };

export class StageRenderer {
  readonly camera: Camera;
  #scene: Scene | null = null;

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly tokens: () => ThemeTokens,
  ) {
    this.camera = new Camera(
      () => this.#scene?.bounds ?? { x: 0, y: 0, width: 1, height: 1 },
      () => this.redraw(),
    );
  }

  /** Shows a scene; with a transition, as one gesture. */
  setScene(scene: Scene, _transition: Transition | null = null): void {
    this.#scene = scene;
    this.redraw();
  }

  /** What lies under a point in CSS pixels from the canvas's top left. */
  hitTest(_x: number, _y: number): Target | null {
    return null;
  }

  /** Takes the size of the canvas on the page. */
  resize(): void {}

  /** Draws again in the next frame, as after a change of the theme. */
  redraw(): void {}

  destroy(): void {}
}
