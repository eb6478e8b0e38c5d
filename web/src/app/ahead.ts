// What is typed while the field that it is meant for is still on its way.

/** Keeps letters for one field at a time. */
export class TypedAhead {
  #text: string | null = null;
  #away = () => {};

  /** A field will come when `coming` is there; Escape means `away` until then. */
  expect(coming: Promise<unknown>, away: () => void): void {
    this.#text = '';
    this.#away = away;
    coming.catch(() => this.end());
  }

  /** No field comes. */
  end(): void {
    this.#text = null;
  }

  /** Keeps a key for the field that is about to come; true where it was for it. */
  keep(event: KeyboardEvent): boolean {
    if (this.#text === null || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key.length === 1) this.#text += event.key;
    else if (event.key === 'Backspace') this.#text = this.#text.slice(0, -1);
    else if (event.key === 'Escape') {
      this.end();
      this.#away();
    } else return false;
    return true;
  }

  /** What the field, which has the keyboard now, begins with. */
  take(): string {
    const text = this.#text ?? '';
    this.end();
    return text;
  }
}

export const ahead = new TypedAhead();
