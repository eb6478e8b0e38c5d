// A slide as it is seen and touched: how large its texts are, and the swipe that turns it.

/** The most characters of a sentence in the largest and in the middle size of letters. */
const SHORT = 140;
const LONG = 420;
/** A swipe goes at least this far, in CSS pixels, and twice as far across as along. */
const FAR = 48;

/** In a window of this height the code on slides is `MOST_TALK` times as large as usual; in a lower one it is smaller. */
const HALL = 1080;
const MOST_TALK = 1.4;
const LEAST_TALK = 1.15;

/** How many times as large as usual the code of slides is in a window of this height, in CSS pixels. */
export function talkFor(height: number): number {
  return Math.max(LEAST_TALK, Math.min(MOST_TALK, (MOST_TALK * height) / HALL));
}

/** The size of letters that lets a text of some characters fit above the graph. */
export function sizeOf(characters: number): 'short' | 'long' | 'longest' {
  if (characters <= SHORT) return 'short';
  return characters <= LONG ? 'long' : 'longest';
}

type Touches = Pick<TouchEvent, 'touches' | 'changedTouches' | 'target'>;

/** Whether a finger at an element moves what is wider than its room, as a long line of code. */
function pans(target: EventTarget | null): boolean {
  let element = target instanceof Element ? target : null;
  for (; element; element = element.parentElement)
    if (element.scrollWidth > element.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(element).overflowX))
      return true;
  return false;
}

/** Turns slides by a finger that moves across: to the left goes on. */
export class Swipe {
  #from: { x: number; y: number } | null = null;

  constructor(private readonly turn: (by: 1 | -1) => void) {}

  begin({ touches, target }: Touches): void {
    const [one] = touches;
    this.#from = one && touches.length === 1 && !pans(target) ? { x: one.clientX, y: one.clientY } : null;
  }

  end({ changedTouches }: Touches): void {
    const [one] = changedTouches;
    const from = this.#from;
    this.#from = null;
    if (!from || !one) return;
    const [dx, dy] = [one.clientX - from.x, one.clientY - from.y];
    if (Math.abs(dx) >= FAR && Math.abs(dx) > 2 * Math.abs(dy)) this.turn(dx < 0 ? 1 : -1);
  }

  cancel(): void {
    this.#from = null;
  }
}
