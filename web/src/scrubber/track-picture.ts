// What the timeline's track is a picture of, in which colours, and the places in it that all that is drawn keeps to.

import type { MemoryColumns, Span } from '../timeline/span';
import type { Band, LineRun, Mark, RoundMark } from './bands';

export type TrackPicture = {
  bands: readonly Band[];
  /** In order for each kind. */
  marks: readonly Mark[];
  rounds: readonly RoundMark[];
  /** What ran where, as far as there is room for it. */
  lines: readonly LineRun[];
  memory: MemoryColumns;
  /** The memory that fills the track. */
  most: number;
  length: number;
  /** How many moments are shown; a plain line is in the place of the others. */
  shown: number;
  span: Span;
  /** Room at the right that names of phases leave free. */
  reserved: number;
  width: number;
  height: number;
};
export type TrackInk = Record<
  'ink' | 'muted' | 'faint' | 'hairline' | 'paper' | 'forward' | 'gradient' | 'saved' | 'error',
  string
>;

/** Where the band runs, in CSS pixels from the top. */
export const BAND_Y = 24;
/** What is at the rims may reach this far beyond them. */
export const EDGE = 8;
