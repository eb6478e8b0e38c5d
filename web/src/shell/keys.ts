// Keys pressed on the page: what they do is declared with the actions.

import { ahead } from '../widgets/typed-ahead';
import { actionOf, chordOf } from '../workbench/actions';
import type { Workbench } from '../workbench/workbench.svelte';

const TYPING =
  'input:not([type="checkbox"], [type="radio"], [type="button"], [type="submit"]), textarea, select, [contenteditable="true"], [role="dialog"]';
const OPEN_MENU = '[aria-haspopup="dialog"][aria-expanded="true"]';
/**
 * Function keys of the page that never do what the browser does with them, also while they mean nothing on the page. F11, full
 * screen, and F12, the developer tools, are not among them.
 */
const FUNCTION_KEY = /(^|\+)F(\d|10)$/;
const PRESSING = 'button, a, summary, input, [role="option"]';
/** What opens a dialog gets the keyboard back when that is closed. */
const OPENER = '[aria-haspopup]';

/** Returns whether an element is a field of one line outside of dialogs, which have pages of their own. */
function isPlainField(target: Element): boolean {
  return target.matches('input') && target.closest('[role="dialog"]') === null;
}

/** Takes a key for the field that is on its way, before whatever has the keyboard, such as the editor, takes it for itself. */
export function takeAhead(event: KeyboardEvent): void {
  if (!ahead.keep(event)) return;
  event.preventDefault();
  event.stopPropagation();
}

/** Handles a key pressed anywhere; true when it meant something. */
export function press(event: KeyboardEvent, bench: Workbench): boolean {
  const chord = chordOf(event);
  const action = actionOf(chord);
  if (!action?.offered(bench)) return action !== null && FUNCTION_KEY.test(chord);
  const target = event.target instanceof Element ? event.target : null;
  if (!action.whileTyping) {
    if (target?.closest(TYPING) && !(action.pages && isPlainField(target))) return false;
    if (document.querySelector(OPEN_MENU)) return false; // Escape closes it, and what lies behind rests.
  }
  if (action.yields && target?.closest(PRESSING)) return false;
  if (event.key.startsWith('Arrow') && target?.matches('[type="radio"]')) return false; // They choose among the options.
  // A program that runs is not stepped again by a key that is held down.
  if (!(event.repeat && action.group === 'debugger' && !bench.debugger.stop)) action.run(bench);
  return true;
}

/**
 * Takes the keyboard from a button that was clicked with a pointer: a key pressed next means the page, as before the click. A
 * button that was reached by keyboard keeps it.
 */
export function leaveButton(event: MouseEvent): void {
  const button = event.target instanceof Element ? event.target.closest('button') : null;
  if (event.detail === 0 || !button || button !== document.activeElement) return;
  if (!button.matches(OPENER) && !button.closest('[role="dialog"], dialog')) button.blur();
}
