// A breakpoint as the reader sets it: where and when it stops, and as the text that a link carries.

import type { SetBreakpoints } from '../protocol/events';
import type { Target } from '../scene/target';

/** A breakpoint as it is sent to the program. */
export type SentBreakpoint = SetBreakpoints['breakpoints'][number];

type WithoutOptions<T> = T extends unknown ? Omit<T, 'id' | 'condition' | 'hits'> : never;
/** Where a breakpoint stops. */
export type StopPoint = WithoutOptions<SentBreakpoint>;
export type TensorMoment = Extract<StopPoint, { on: 'tensor' }>['when'];

export type Breakpoint = {
  id: number;
  point: StopPoint;
  enabled: boolean;
  /** An expression in the frame that stops; empty where it stops in any case. */
  condition: string;
  /** Stops from this hit on. */
  hits: number;
  /** The line in the text of the program that runs, where the text was edited since; null where that has no such line. */
  ranLine: number | null;
  /** Why the program could not take it. */
  problem: string | null;
  /** That nothing has the name that it waits for, as the program said when it took it. */
  note: string | null;
  /** Set in the terminal that debugs the program. */
  terminal?: boolean;
};

/** The parts of a breakpoint that a link carries. */
export type LinkedBreakpoint = Pick<Breakpoint, 'point' | 'enabled' | 'condition' | 'hits'>;

export const tensorMoments = [
  'created',
  'changed',
  'gradient',
  'accumulated',
  'released',
] as const satisfies TensorMoment[];

/** Where a breakpoint at a thing on the stage stops, as a key sets it: before a node runs, when a gradient comes. */
export function stopPointOf(target: Target | null): StopPoint | null {
  if (target?.type === 'node' || target?.type === 'saved') return { on: 'node', node: target.node, when: 'before' };
  return target?.type === 'tensor' ? { on: 'tensor', tensor: target.tensor, when: 'gradient' } : null;
}

/** A key that is the same for breakpoints that stop at the same place. */
export function stopPointKey(point: StopPoint): string {
  return stopPointParts(point).join(':');
}

function stopPointParts(point: StopPoint): string[] {
  switch (point.on) {
    case 'line':
      return ['line', String(point.line), ...(point.file ? [point.file] : [])];
    case 'op':
      return ['op', point.name];
    case 'node':
      return ['node', String(point.node), point.when ?? 'before'];
    case 'tensor':
      return typeof point.tensor === 'number'
        ? ['tensor', String(point.tensor), point.when]
        : ['name', point.tensor, point.when];
    case 'non_finite':
      return ['nan'];
    case 'gradient_norm':
      return ['norm', point.above?.toString() ?? '', point.below?.toString() ?? ''];
    case 'freed':
      return ['freed', ...(point.name ? [point.name] : [])];
    case 'hook':
      return ['hook', ...(point.name ? [point.name] : [])];
    case 'exception':
      return ['exception', ...(point.type ? [point.type] : [])];
  }
}

const quoted = (text: string) => encodeURIComponent(text).replaceAll('*', '%2A').replaceAll('!', '%21');

/** `line:7`, `line:7:model.py`, `node:5:after`, `!line:9*3?i > 2`: `!` where it is off, then its hit number and its condition. */
export function writeBreakpoint({ point, enabled, condition, hits }: LinkedBreakpoint): string {
  const place = stopPointParts(point).map(quoted).join(':');
  return `${enabled ? '' : '!'}${place}${hits > 1 ? `*${hits}` : ''}${condition ? `?${condition}` : ''}`;
}
