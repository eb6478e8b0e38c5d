// The arrow keys turn the slides of a lesson, where nothing on the page needs them for itself.

const TAKES_ARROWS =
  'input, textarea, select, [contenteditable="true"], [role="slider"], [role="listbox"], [role="radiogroup"], [role="application"], [role="dialog"], dialog, [role="separator"]';

/** By how many slides a key turns; null for any other key, and where the arrows mean something else. */
export function turnOf(event: KeyboardEvent): 1 | -1 | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return null;
  const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : null;
  const target = event.target instanceof Element ? event.target : null;
  if (by === null || (target && isEmptyField(target))) return by;
  return target?.closest(TAKES_ARROWS) ? null : by;
}

/** In a field of text without a character there is nowhere to go. */
function isEmptyField(target: Element): boolean {
  return target instanceof HTMLInputElement && target.type === 'text' && target.value === '';
}
