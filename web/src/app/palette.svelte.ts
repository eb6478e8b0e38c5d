// Whether the palette of commands is open.

import { ahead } from './ahead';
import { later } from './later';

/** The palette's state; what it shows comes when it is first opened. */
export class PaletteState {
  open = $state(false);
  /** Whether this page has one: a frame in another page does without. */
  here = false;

  toggle(): void {
    this.open = !this.open;
    if (this.open) ahead.expect(later.palette(), () => (this.open = false));
    else ahead.end();
  }
}

export const palette = new PaletteState();
