// The subject of a question, made from the selection.

import type { Target } from '../scene/target';
import type { Events } from '../store/log';

/** A tensor or a node by its identity in the events; with neither, the run. */
export type Subject = { tensor: number | null; node: number | null };

const RUN: Subject = { tensor: null, node: null };

/** The subject of a selection: of an op outside the graph its result, of a module the run. */
export function subjectOf(target: Target | null, events: Pick<Events, 'at'>): Subject {
  if (target?.type === 'tensor') return { tensor: target.tensor, node: null };
  if (target?.type === 'node' || target?.type === 'saved' || target?.type === 'edge')
    return { tensor: null, node: target.node };
  const event = target?.type === 'op' ? events.at(target.seq) : undefined;
  const made = event?.kind === 'op_applied' ? event.outputs[0] : undefined;
  return made ? { tensor: made.tensor, node: null } : RUN;
}

/** An answer that can be asked for again: which question, about what, at which event. */
export type Inquiry = { key: string; about: Subject; seq: number };

/** An inquiry in the few characters that a link carries: `grad_none/tensor:3/120`, `memory//120` of the run. */
export function writeInquiry({ key, about, seq }: Inquiry): string {
  const subject = about.tensor !== null ? `tensor:${about.tensor}` : about.node !== null ? `node:${about.node}` : '';
  return `${key}/${subject}/${seq}`;
}

/** Reads what `writeInquiry` wrote; null for anything else. */
export function readInquiry(text: string | null): Inquiry | null {
  const match = /^([a-z_]{1,40})\/(?:(tensor|node):(\d{1,12}))?\/(\d{1,12})$/.exec(text ?? '');
  if (!match) return null;
  const [, key, type, id, seq] = match;
  const about = { tensor: type === 'tensor' ? Number(id) : null, node: type === 'node' ? Number(id) : null };
  return { key: key!, about, seq: Number(seq) };
}
