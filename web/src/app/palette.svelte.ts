// Whether the palette of commands is open.

/** The palette's state; what it shows comes when it is first opened. */
export class PaletteState {
  open = $state(false);
  /** What was typed before the field was there. */
  typed = '';

  toggle(): void {
    this.open = !this.open;
    this.typed = '';
  }

  /** Keeps a key for the field that is about to come; true where it was one. */
  keep(event: KeyboardEvent): boolean {
    if (!this.open || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key.length === 1) this.typed += event.key;
    else if (event.key === 'Escape') this.open = false;
    return true;
  }
}

export const palette = new PaletteState();
