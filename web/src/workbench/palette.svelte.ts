// The state of the palette of commands: open or not.

import { ahead } from '../widgets/typed-ahead';

/** The palette's state; what it shows comes when it is first opened. */
export class PaletteState {
  open = $state(false);
  /** Whether this page has one: a frame in another page does without. */
  here = false;
  /** Fetches what the palette shows; the frame of the page says how. */
  fetch: () => Promise<unknown> = () => Promise.resolve();

  toggle(): void {
    this.open = !this.open;
    if (this.open) ahead.expect(this.fetch(), () => (this.open = false));
    else ahead.end();
  }
}

export const palette = new PaletteState();
