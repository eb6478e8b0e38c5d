// What the reader points at, as the text that a link carries: `node:5`, `tensor:3`, `saved:5/_saved_self`, `edge:5/0`.

import type { Target } from '../scene/target';

/** The text of a target. */
export function targetText(target: Target): string {
  switch (target.type) {
    case 'tensor':
      return `tensor:${target.tensor}`;
    case 'node':
      return `node:${target.node}`;
    case 'op':
      return `op:${target.seq}`;
    case 'saved':
      return `saved:${target.node}/${target.slot}`;
    case 'edge':
      return `edge:${target.node}/${target.inputNr}`;
  }
}

/** Reads what `targetText` wrote; null for anything else. */
export function parseTarget(text: string): Target | null {
  const match = /^(tensor|node|op|saved|edge):(\d+)(?:\/(\w+))?$/.exec(text);
  if (!match) return null;
  const [, type, id, part] = match;
  const number = Number(id);
  if (type === 'tensor') return { type, tensor: number };
  if (type === 'node') return { type, node: number };
  if (type === 'op') return { type, seq: number };
  if (type === 'saved') return part ? { type, node: number, slot: part } : null;
  return part && /^\d+$/.test(part) ? { type: 'edge', node: number, inputNr: Number(part) } : null;
}

/** Whether two targets are one thing. */
export function sameTarget(a: Target | null, b: Target | null): boolean {
  return a === b || (a !== null && b !== null && targetText(a) === targetText(b));
}
