// What the reader has written about moments of a run. It goes with the link.

/** `moment` counts from 0. */
export type MomentNote = { moment: number; text: string };

export const MOST_MOMENT_NOTES = 30;
/** In characters: all of them are in the link. */
export const LONGEST_MOMENT_NOTE = 280;
/** Programs whose notes are kept while others run. */
const MOST_PROGRAMS = 20;

/** The notes on the run that is shown; those on other programs come back with them. */
export class MomentNotes {
  all = $state.raw<readonly MomentNote[]>([]);
  /** The moment whose note is being written or read in full; null while there is none. */
  open = $state<number | null>(null);
  #source: string | null = null;
  #linked: readonly MomentNote[] | null = null;
  readonly #others = new Map<string, readonly MomentNote[]>();

  /** The note on a moment, empty where there is none. */
  at(moment: number): string {
    return this.all.find((one) => one.moment === moment)?.text ?? '';
  }

  /** Opens the note on a moment, or closes it. */
  toggle(moment: number): void {
    this.open = this.open === moment ? null : moment;
  }

  /** Whether one more fits. */
  get hasRoom(): boolean {
    return this.all.length < MOST_MOMENT_NOTES;
  }

  /** Writes the note on a moment; an empty text takes it away. */
  write(moment: number, text: string): void {
    const cleaned = text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_MOMENT_NOTE);
    const others = this.all.filter((one) => one.moment !== moment);
    if (cleaned && others.length >= MOST_MOMENT_NOTES) return;
    this.all = (cleaned ? [...others, { moment, text: cleaned }] : others).sort((a, b) => a.moment - b.moment);
  }

  /** Turns to the notes on another program; `isEdit`: they go along to a text in which a number was changed. */
  turnTo(source: string, isEdit: boolean): void {
    this.open = null;
    if (this.#source !== null) this.#others.set(this.#source, this.all);
    for (const one of this.#others.keys()) {
      if (this.#others.size <= MOST_PROGRAMS) break;
      this.#others.delete(one);
    }
    if (this.#linked) this.all = this.#linked;
    else if (source !== this.#source && !isEdit) this.all = this.#others.get(source) ?? [];
    this.#source = source;
    this.#linked = null;
  }

  /** Takes those of a link, as `texts` writes them: for the run that comes, or with `now` for the one that is shown. */
  load(texts: readonly string[], now = false): void {
    const found = new Map<number, string>();
    for (const text of texts.slice(0, MOST_MOMENT_NOTES)) {
      const match = /^([1-9]\d{0,8}):(.*\S.*)$/s.exec(text);
      if (match) found.set(Number(match[1]) - 1, match[2]!.replace(/\s+/g, ' ').trim().slice(0, LONGEST_MOMENT_NOTE));
    }
    const read = [...found].map(([moment, text]) => ({ moment, text })).sort((a, b) => a.moment - b.moment);
    if (now) this.all = read;
    else this.#linked = read;
  }

  /** As a link has them: with the steps as the page counts them. */
  get texts(): string[] {
    return this.all.map(({ moment, text }) => `${moment + 1}:${text}`);
  }
}
