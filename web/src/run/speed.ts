// The speeds at which a run is played, and how long each step is shown at them.

/** From the slowest to the fastest. */
export const SPEEDS = ['reading', 'normal', 'fast'] as const;
export type Speed = (typeof SPEEDS)[number];

/** The longest motion of a step: the node wakes, takes what it saved, the gradient travels, the number lands, the chip empties. */
export const GESTURE_MS = 790;
const BACKWARD_MS = 900;
const FORWARD_MS = 450;
/** What `fast` divides the duration of a step by. */
const FAST = 8;
/** A reader finds the caption, then reads it. */
const FIND_MS = 350;
const CHARACTER_MS = 45;

/** Milliseconds that a step is shown: `caption` is its sentence, which counts at reading speed alone. */
export function stepDuration(speed: Speed, phase: string, caption: () => string): number {
  const usual = phase === 'backward' ? BACKWARD_MS : FORWARD_MS;
  if (speed === 'fast') return usual / FAST;
  return speed === 'reading' ? Math.max(usual, GESTURE_MS, FIND_MS + CHARACTER_MS * caption().length) : usual;
}

/** Milliseconds that the motion of a step takes which is shown for `duration`. */
export function gestureWithin(duration: number): number {
  return Math.min(GESTURE_MS, duration * 0.8);
}

/** The speed that was stored; null for anything else. */
export function readSpeed(stored: string | null): Speed | null {
  return SPEEDS.find((speed) => speed === stored) ?? null;
}
