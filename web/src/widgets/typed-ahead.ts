// Keeps what is typed while the field that it is meant for is being loaded.

/** A field that has not come so long after what it is made of does not come, in milliseconds. */
const PATIENCE_MS = 2000;

/** Keeps letters for one field at a time. */
export class TypedAhead {
  #text: string | null = null;
  /** Enter was pressed after the letters; what follows it is dropped. */
  #sent = false;
  #away = () => {};
  #turn = 0;

  /** A field will come when `coming` is there; Escape means `away` until then. */
  expect(coming: Promise<unknown>, away: () => void): void {
    this.#text = '';
    this.#sent = false;
    this.#away = away;
    this.#turn += 1;
    const turn = this.#turn;
    const over = () => {
      if (turn === this.#turn) this.end();
    };
    coming.then(() => setTimeout(over, PATIENCE_MS), over);
  }

  /** No field comes. */
  end(): void {
    this.#text = null;
  }

  /** Keeps a key for the field that is about to come; true where it was for it. */
  keep(event: KeyboardEvent): boolean {
    if (this.#text === null || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === 'Escape') {
      this.end();
      this.#away();
    } else if (this.#sent) return true;
    else if (event.key.length === 1) this.#text += event.key;
    else if (event.key === 'Backspace') this.#text = this.#text.slice(0, -1);
    else if (event.key === 'Enter') this.#sent = !event.repeat;
    else return false;
    return true;
  }

  /** What the field, which has the keyboard now, begins with, and whether Enter followed. */
  take(): { text: string; sent: boolean } {
    const taken = { text: this.#text ?? '', sent: this.#text !== null && this.#sent };
    this.end();
    return taken;
  }
}

export const ahead = new TypedAhead();
