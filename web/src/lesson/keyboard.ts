// Where the keyboard is in a lesson: pages, verdicts and runs take away or disable what had it.

export class Keyboard {
  /** The keyboard was in the lesson, and was nowhere else since. */
  #isHeld = false;
  /** It was on the button that goes on, which stays where another page comes. */
  #left: Element | null = null;

  /** `rooms`: the elements that the lesson has on the page, the panel with its text first. */
  constructor(private readonly rooms: () => readonly (Element | null)[]) {}

  /** Note where the keyboard is, before the page changes. */
  note(): void {
    const { activeElement } = document;
    if (this.rooms().some((room) => room?.contains(activeElement))) this.#isHeld = true;
    else if (!isLost()) this.#isHeld = false;
  }

  /** Note that another page comes: a button that has the keyboard is left for what is on that page. */
  leaves(button: Element | null): void {
    this.#left = button !== null && document.activeElement === button ? button : null;
  }

  /** Give the keyboard to an element where what had it in the lesson is gone, disabled, or left. */
  restore(element: HTMLElement | null): void {
    const { activeElement } = document;
    const isLeft = this.#left !== null && activeElement === this.#left;
    this.#left = null;
    if (isLeft || (this.#isHeld && isLost())) element?.focus({ preventScroll: !this.rooms()[0]?.contains(element) });
  }

  /** Give the keyboard to an element where the reader acted a moment ago and it is nowhere; in a frame that has it alone. */
  enter(element: HTMLElement | null): void {
    if (isLost() && document.hasFocus() && navigator.userActivation?.isActive) element?.focus({ preventScroll: true });
  }
}

/** Returns whether nothing has the keyboard, or something that takes no key. */
function isLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || activeElement.matches(':disabled');
}
