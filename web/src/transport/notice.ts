// The server's notices about a run, beside its events: each holds all that is true at that moment.

import type { SetBreakpoints } from '../protocol/events';

/**
 * A place in line; a fleet of which no worker takes the program, or the one that ran it is lost; a server that cannot
 * start programs yet; a limit that strikes in so many seconds; or the breakpoints of terminals and editors and which of
 * the page's were removed there; and, from the connection itself, a server that refused to start the program for now
 * and is asked again in so many seconds.
 */
export type Notice =
  | { kind: 'waiting'; place: number; waiting: number }
  | { kind: 'no_worker'; lost: boolean }
  | { kind: 'starting' }
  | {
      kind: 'limit_approaching';
      limit: 'wall' | 'cpu' | 'pause' | 'place' | 'wanted';
      limit_seconds: number;
      seconds_left: number;
    }
  | { kind: 'breakpoints'; terminal: SetBreakpoints['breakpoints']; removed: number[] }
  | { kind: 'refused'; reason: string; seconds_left: number };
