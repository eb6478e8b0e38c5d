// How an optimizer's step moved a parameter, in the room of its card.

import { brief, number, typedShape } from '../caption/number';
import type { Summary } from '../protocol/events';
import type { RunState } from '../timeline/state';

const ARROW = ' → ';

/** `0.5 → 0.48`, or by how much a larger parameter moved; null in any other step, or where there is no room. */
export function movedText(tensor: number, state: RunState, chars: number): string | null {
  for (const event of state.events) {
    if (event.kind !== 'optimizer_stepped') continue;
    const update = event.updates.find((one) => one.tensor === tensor);
    if (!update) continue;
    const { before, after, change } = update;
    const texts = isNumber(after)
      ? [4, 3, 2].map((digits) => [before, after].map((value) => rounded(value, digits)).join(ARROW))
      : [
          [brief(before, chars), brief(after, chars)].join(ARROW),
          typeof change?.norm === 'number' ? `${typedShape(after)} Δ ${number(change.norm)}` : '',
          typeof change?.norm === 'number' ? `Δ ${number(change.norm)}` : '',
        ];
    return texts.find((text) => text !== '' && [...text].length <= chars && !isStill(text)) ?? null;
  }
  return null;
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
