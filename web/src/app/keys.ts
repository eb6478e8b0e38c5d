// The page's keys: what each does, for the handler and for the reader.

import type { Workbench } from './workbench.svelte';

export const KEYS = [
  { keys: ['←', '→'], does: 'Step back, step forward' },
  { keys: ['Space'], does: 'Play or pause' },
  { keys: ['Home', 'End'], does: 'First step, last step' },
  { keys: ['N', 'P'], does: 'Next, previous backward pass' },
  { keys: ['B'], does: 'Play the backward pass' },
  { keys: ['Ctrl', 'Enter'], does: 'Run the program' },
  { keys: ['+', '−', '0'], does: 'Zoom in, zoom out, fit the graph' },
  { keys: ['Esc'], does: 'Clear the selection' },
  { keys: ['Tab', '↑', '↓'], does: 'On the graph: walk along its edges' },
] as const;

const TYPING = 'input, textarea, select, [contenteditable="true"], [role="dialog"]';
const PRESSING = 'button, a, summary, [role="option"]';

/** Handles a key pressed anywhere but where text is typed; true when it meant something. */
export function press(event: KeyboardEvent, bench: Workbench): boolean {
  const target = event.target instanceof Element ? event.target : null;
  if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') {
    bench.begin();
    return true;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || target?.closest(TYPING)) return false;
  const last = (bench.run?.length ?? 0) - 1;
  switch (event.key) {
    case 'ArrowRight':
      bench.step(1);
      return true;
    case 'ArrowLeft':
      bench.step(-1);
      return true;
    case 'Home':
      bench.moveTo(-1);
      return true;
    case 'End':
      bench.moveTo(last);
      return true;
    case ' ':
      if (target?.closest(PRESSING)) return false;
      bench.togglePlaying();
      return true;
    case 'n':
    case 'N':
      bench.jumpBackward(1);
      return true;
    case 'p':
    case 'P':
      bench.jumpBackward(-1);
      return true;
    case 'b':
    case 'B':
      bench.playBackward();
      return true;
    case '+':
    case '=':
      bench.view?.zoom(1.25);
      return true;
    case '-':
      bench.view?.zoom(0.8);
      return true;
    case '0':
      bench.view?.fit();
      return true;
    case 'Escape':
      bench.select(null);
      return true;
    default:
      return false;
  }
}
