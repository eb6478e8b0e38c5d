// Where breakpoints without a condition would have stopped the program, by its log.

import type { Event, Summary } from '../../protocol/events';
import type { SentBreakpoint, TensorMoment } from '../breakpoint';
import { tensorNamed } from './named';
import { begins, type Recorded } from './running-lines';

const HAPPENINGS: Record<TensorMoment, readonly Event['kind'][]> = {
  created: ['tensor_created', 'tensor_named'],
  changed: ['tensor_mutated'],
  gradient: ['grad_accumulated'],
  accumulated: ['grad_accumulated'],
  released: ['tensor_released'],
};

/** Whether a breakpoint counts hits or has a condition, so that only the program itself says where it stops. */
export function needsProgram({ condition, hits = 1 }: SentBreakpoint): boolean {
  return hits > 1 || Boolean(condition);
}

/** The last moment before `here` at which breakpoints stop, without their conditions; -1 where there is none. */
export function lastStop(run: Recorded, here: number, breakpoints: readonly SentBreakpoint[]): number {
  const nans = new Set(breakpoints.some(({ on }) => on === 'non_finite') ? run.firstNans.seqs : []);
  const lines: number[] = [];
  const others: SentBreakpoint[] = [];
  for (const one of breakpoints) {
    if (one.on !== 'line') others.push(one);
    else lines.push(run.log.files.lineIn(one.file, one.line) ?? -1);
  }
  for (let index = here - 1; index >= 0; index -= 1) {
    if (lines.some((line) => begins(run, index, line))) return index;
    if (others.length === 0) continue;
    const { first, last } = run.timeline.moments[index]!;
    for (let seq = first; seq <= last; seq += 1) {
      const event = run.log.at(seq)!;
      if (others.some((one) => (one.on === 'non_finite' ? nans.has(seq) : stops(run, one, event)))) return index;
    }
  }
  return -1;
}

function stops({ log, timeline }: Recorded, one: SentBreakpoint, event: Event): boolean {
  const nameOf = (node: number) => timeline.history.nodes.get(node)?.name;
  switch (one.on) {
    case 'op':
      if (event.kind === 'op_applied') return event.op === one.name;
      if (event.kind === 'node_started' || event.kind === 'grad_accumulated') return nameOf(event.node) === one.name;
      return event.kind === 'module_entered' && event.path === one.name;
    case 'node':
      if (one.when === 'after' && event.kind === 'node_finished') return event.node === one.node;
      return (event.kind === 'node_started' || event.kind === 'grad_accumulated') && event.node === one.node;
    case 'tensor': {
      if (!HAPPENINGS[one.when].includes(event.kind)) return false;
      const tensor = typeof one.tensor === 'number' ? one.tensor : tensorNamed(log, one.tensor, event.seq);
      return tensor !== null && tensor === tensorOf(event);
    }
    case 'gradient_norm':
      return event.kind === 'gradient_sent' && isBeyond(event.value, one);
    case 'freed':
      return event.kind === 'buffer_freed' && (!one.name || nameOf(event.node) === one.name);
    case 'hook':
      return event.kind === 'hook_ran' && (!one.name || event.hook === one.name);
    case 'exception':
      return event.kind === 'error_raised' && (!one.type || event.type === one.type);
    default:
      return false;
  }
}

function tensorOf(event: Event): number | null {
  if (event.kind === 'tensor_created') return event.info.tensor;
  return 'tensor' in event ? event.tensor : null;
}

function isBeyond({ norm }: Summary, { above, below }: Extract<SentBreakpoint, { on: 'gradient_norm' }>): boolean {
  if (typeof norm !== 'number') return false;
  return (typeof above === 'number' && norm > above) || (typeof below === 'number' && norm < below);
}
