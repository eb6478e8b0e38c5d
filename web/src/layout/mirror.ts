// The mirror layout: where every leaf, op and edge of a run stands.  What is placed never moves.

import type { EventLog } from '../store/log';
import type { Rect } from './rect';

/** Follows a log and places what it brings. */
export class MirrorLayout {
  bounds: Rect = { x: 0, y: 0, width: 0, height: 0 };

  constructor(readonly log: EventLog) {}

  /** Places what is still open, as when the stream rests. */
  commit(): void {}
}
