// Reading the text of a target that a link carries: `node:5`, `tensor:3`, `saved:5/_saved_self`, `edge:5/0`, `module:7`, `function:2`, `loop:2/3`.

import type { Target } from '../../scene/target';

/** Reads what `keyOf` wrote; null for anything else. */
export function parseTarget(text: string): Target | null {
  const match = /^(tensor|node|op|saved|edge|module|function|loop):(\d+)(?:\/(\S+))?$/.exec(text);
  if (!match) return null;
  const [, type, id, part] = match;
  const number = Number(id);
  if (type === 'tensor') return { type, tensor: number };
  if (type === 'node') return { type, node: number };
  if (type === 'op') return { type, seq: number };
  if (type === 'module' || type === 'function') return { type, call: number };
  if (type === 'saved') return part ? { type, node: number, slot: part } : null;
  if (!part || !/^\d+$/.test(part)) return null;
  return type === 'loop'
    ? { type, loop: number, round: Number(part) }
    : { type: 'edge', node: number, inputNr: Number(part) };
}
