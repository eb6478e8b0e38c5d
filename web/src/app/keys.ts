// The page's keys: what each does, for the handler and for the reader.

import type { StepTo } from '../debugger/debugger.svelte';
import type { Workbench } from './workbench.svelte';

export const KEYS = [
  { keys: ['←', '→'], does: 'Step back, step forward' },
  { keys: ['Space'], does: 'Play or pause' },
  { keys: ['Home', 'End'], does: 'First step, last step' },
  { keys: ['N', 'P'], does: 'Next, previous backward pass' },
  { keys: ['B'], does: 'Play the backward pass' },
  { keys: ['Ctrl', 'Enter'], does: 'Run the program' },
  { keys: ['F9'], does: 'Breakpoint at the line of the cursor' },
  { keys: ['F8'], does: 'Pause the program, or let it go on' },
  { keys: ['F10', 'F11'], does: 'Paused: over the line, into a function' },
  { keys: ['⇧F11'], does: 'Paused: out of the function' },
  { keys: ['F7', '⇧F7'], does: 'Paused: over a node, to the next moment' },
  { keys: ['Ctrl', 'F10'], does: 'Run again, and pause at this step' },
  { keys: ['⇧F8', '⇧F10'], does: 'Paused: to the next backward pass, to the end' },
  { keys: ['/', 'F'], does: 'Find on the stage; Enter, ⇧Enter: next, previous' },
  { keys: ['+', '−', '0'], does: 'Zoom in, zoom out, fit the graph' },
  { keys: ['+', '−', '0'], does: 'On the timeline: zoom in, zoom out, the whole run' },
  { keys: ['Enter'], does: 'Fold or open the selected module or loop' },
  { keys: ['?'], does: 'Go to the questions about what is selected' },
  { keys: ['Esc'], does: 'Put the answer away, clear the selection' },
  { keys: ['Tab', '↑', '↓'], does: 'On the graph: walk along its edges' },
] as const;

const TYPING = 'input, textarea, select, [contenteditable="true"], [role="dialog"]';
const OPEN_MENU = '[aria-haspopup="dialog"][aria-expanded="true"]';
const PRESSING = 'button, a, summary, [role="option"]';

const STEPS: Record<string, StepTo> = {
  F10: 'line',
  F11: 'into',
  'Shift+F11': 'out',
  F7: 'node',
  'Shift+F7': 'moment',
  'Shift+F8': 'backward',
  'Shift+F10': 'end',
};

/** The keys of the debugger mean the same while one types. */
function pressStep(event: KeyboardEvent, bench: Workbench): boolean {
  if (event.key === 'F10' && (event.ctrlKey || event.metaKey) && bench.run && bench.run.cursor >= 0 && !bench.stale) {
    bench.debugger.runTo(bench.run.actingSeq);
    return true;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !bench.live) return false;
  const key = event.shiftKey ? `Shift+${event.key}` : event.key;
  const to = STEPS[key];
  if (to && !(event.repeat && !bench.debugger.stop)) void bench.debugger.step(to);
  else if (key === 'F8') bench.debugger.toggle();
  return to !== undefined || key === 'F8';
}

/** Handles a key pressed anywhere but where text is typed; true when it meant something. */
export function press(event: KeyboardEvent, bench: Workbench): boolean {
  const target = event.target instanceof Element ? event.target : null;
  if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') {
    bench.begin();
    return true;
  }
  if (pressStep(event, bench)) return true;
  if (event.ctrlKey || event.metaKey || event.altKey || target?.closest(TYPING)) return false;
  if (document.querySelector(OPEN_MENU)) return false; // Escape closes it, and what lies behind rests.
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
    case 'Enter':
      return !target?.closest(PRESSING) && bench.toggleFold();
    case 'Escape':
      if (!bench.why.putAway()) bench.select(null);
      return true;
    case '/':
    case 'f':
    case 'F':
      if (!bench.run) return false;
      bench.find.summon();
      return true;
    case '?':
      bench.summonQuestions();
      return true;
    default:
      return false;
  }
}
