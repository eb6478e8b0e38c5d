// Moves the keyboard to a room that the reader went to.

const FIRST = '.cm-content, .content :is(a, button, input, select, [tabindex="0"]):not(:disabled)';

/** Puts the keyboard on the first thing in a room that takes it, else on the room itself. */
export function takeKeyboard(room: HTMLElement): void {
  const first = room.querySelector<HTMLElement>(FIRST);
  if (!first) room.tabIndex = -1;
  (first ?? room).focus();
}
