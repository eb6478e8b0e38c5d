// Walks of tests and scripts through a run: they go to steps, and look up what of each is not seen.

import type { StageRenderer } from '../../renderer/canvas';
import type { Located } from '../../scene/located';
import type { Scene } from '../../scene/scene';
import type { Miss } from './misses';
import type { RimArrow } from './rim';

/** What the stage shows now; `source` is the program whose run is over and laid out, else null. */
export type Shown = {
  scene: Scene | null;
  cursor: number;
  source: string | null;
  question: string | null;
  evidence: readonly Located[];
  arrows: readonly RimArrow[];
  /** Where what is selected is. */
  selected: Located | null;
};

/** What is found out about a step: what of it and of the evidence of an answer is missed, and which things have an arrow. */
export type Look = Pick<Shown, 'cursor' | 'source' | 'question'> & {
  misses: Miss[];
  missed: Miss[];
  /** Whether what is selected is in view; null where nothing is. */
  selected: boolean | null;
  evidence: string[];
  arrows: string[];
  /** Whether all of the pass that the step belongs to is in view. */
  whole: boolean;
};

type Stage = { moveTo(cursor: number): void; look(): Shown };

/**
 * Answers events `backscope:look` on the canvas: goes to the step `at` of their detail, where there is one, and leaves the
 * promise of a Look in `look`.  Returns what ends it.
 */
export function answerWalks(canvas: HTMLCanvasElement, renderer: StageRenderer, stage: Stage): () => void {
  const answer = (event: Event) => {
    const { detail } = event as CustomEvent<{ at?: number; look?: Promise<Look> }>;
    if (detail.at !== undefined) stage.moveTo(detail.at);
    detail.look = lookAt(renderer, stage);
  };
  canvas.addEventListener('backscope:look', answer);
  return () => canvas.removeEventListener('backscope:look', answer);
}

async function lookAt(renderer: StageRenderer, stage: Stage): Promise<Look> {
  const { missesOf, evidenceMissed, isSeen, seesPass } = await import('./misses');
  renderer.settle();
  const { scene, evidence, arrows, selected, ...shown } = stage.look();
  return {
    ...shown,
    misses: scene ? missesOf(scene, renderer, arrows) : [],
    missed: evidenceMissed(evidence, renderer, arrows),
    selected: selected && isSeen(selected, renderer, arrows),
    evidence: evidence.map(({ name }) => name),
    arrows: arrows.map(({ text }) => text),
    whole: scene !== null && seesPass(scene, renderer),
  };
}
