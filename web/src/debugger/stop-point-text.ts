// Where and when a breakpoint stops, in words.

import * as say from '../messages/breakpoints';
import type { StopPoint, TensorMoment } from './breakpoint';

const TENSOR_MOMENTS: Record<TensorMoment, string> = {
  created: say.isCreated,
  changed: say.isChangedInPlace,
  gradient: say.getsItsGradient,
  accumulated: say.hasItsGradUpdated,
  released: say.isReleased,
};

/** What happens to a tensor at a moment, in words. */
export function tensorMomentText(when: TensorMoment): string {
  return TENSOR_MOMENTS[when];
}

/** What a breakpoint waits for; `nameOf` gives nodes and tensors the names that the run knows. */
export function stopPointText(
  point: StopPoint,
  nameOf: { node(id: number): string | null; tensor(id: number): string | null },
): string {
  switch (point.on) {
    case 'line':
      return `line ${point.line}${point.file ? ` of ${point.file}` : ''}`;
    case 'op':
      return say.whereverItRuns(point.name);
    case 'node':
      return `${point.when ?? 'before'} ${nameOf.node(point.node) ?? `node ${point.node}`} runs`;
    case 'tensor': {
      const name = typeof point.tensor === 'string' ? point.tensor : nameOf.tensor(point.tensor);
      return `${name ?? `tensor ${point.tensor}`} ${TENSOR_MOMENTS[point.when]}`;
    }
    case 'non_finite':
      return say.theFirstNanOrInf;
    case 'gradient_norm': {
      const bounds = [
        typeof point.above === 'number' ? `above ${point.above}` : '',
        typeof point.below === 'number' ? `below ${point.below}` : '',
      ];
      return say.gradientNorm(bounds.filter(Boolean).join(' or '));
    }
    case 'freed':
      return point.name ? say.freesWhatItSaved(point.name) : say.savedFreed;
    case 'hook':
      return point.name ? say.theHookRan(point.name) : say.aHookRan;
    case 'exception':
      return point.type ? say.isRaised(point.type) : say.anExceptionIsRaised;
  }
}
