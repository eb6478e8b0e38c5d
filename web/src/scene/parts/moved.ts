// The change of a parameter in a step, written in the room of its card.

import { brief, number, typedShape } from '../../format/number';
import type { Summary } from '../../protocol/events';
import type { RunState } from '../../timeline/state';
import { updatesIn } from '../../timeline/updates';

const ARROW = ' → ';

/** `0.5 → 0.48`, or by how much a larger parameter moved; null in any other step, or where there is no room. */
export function movedText(tensor: number, state: RunState, chars: number): string | null {
  const update = updatesIn(state).find((one) => one.tensor === tensor);
  if (!update) return null;
  const { before, after, change } = update;
  const texts = isNumber(after)
    ? [4, 3, 2].map((digits) => [before, after].map((value) => rounded(value, digits)).join(ARROW))
    : [
        [brief(before, chars), brief(after, chars)].join(ARROW),
        change === null ? '' : `${typedShape(after)} Δ ${number(change)}`,
        change === null ? '' : `Δ ${number(change)}`,
      ];
  return texts.find((text) => text !== '' && [...text].length <= chars && !isStill(text)) ?? null;
}

function isNumber(value: Summary): boolean {
  return value.shape.length === 0 && value.values.length === 1 && typeof value.values[0] === 'number';
}

function rounded(value: Summary, digits: number): string {
  return number(Number((value.values[0] as number).toPrecision(digits)));
}

/** Two shapes say nothing about a move, nor do two numbers that look the same. */
function isStill(text: string): boolean {
  const [before, after] = text.split(ARROW);
  return before === after;
}
