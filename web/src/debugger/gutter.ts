// The breakpoints of lines as the editor draws them.

import type { BreakpointMark } from '../editor/marks';
import * as say from '../messages/breakpoints';
import type { Breakpoint } from './breakpoint';
import type { Breakpoints } from './breakpoints.svelte';

/** Those of a file, the main one without a name. */
export function breakpointMarks(breakpoints: Breakpoints, file?: string): BreakpointMark[] {
  return [...breakpoints.inFile(file)].map(([line, one]) => ({ line, ...appearance(one) }));
}

function appearance({ enabled, condition, hits, problem, terminal }: Breakpoint): Omit<BreakpointMark, 'line'> {
  if (!enabled) return { state: 'off', title: say.aBreakpointThatIsOff };
  if (problem) return { state: 'refused', title: problem };
  const conditions = [condition ? `where ${condition}` : '', hits > 1 ? say.fromHitOn(hits) : ''].filter(Boolean);
  const title = [terminal ? say.aBreakpointOfTheTerminal : 'Breakpoint', ...conditions].join(', ');
  return { state: terminal ? 'terminal' : conditions.length > 0 ? 'conditional' : 'plain', title };
}
