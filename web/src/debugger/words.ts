// The place of a program in words.

import * as say from '../messages/debugger';
import type { Paused } from '../protocol/events';
import { lineText } from '../protocol/file-lines';

/** What the run knows of its nodes and tensors: their names. */
export type Names = { node(id: number): string | null; tensor(id: number): string | null };

/** `Paused at line 7, before MulBackward0`. */
export function stopText(stop: Paused, names: Names): string {
  const line = stop.line === null ? '' : ` line ${lineText(stop.line)}`;
  const node = stop.node === null ? null : (names.node(stop.node) ?? 'a node');
  if (stop.where === 'line') {
    const inside = stop.stack.at(-1)?.function ?? '<module>';
    return line ? say.pausedBefore(line, inside === '<module>' ? '' : ` in ${inside}()`) : 'Paused';
  }
  const at = line ? say.pausedAt(line) : 'Paused';
  if (node === null) return at;
  if (stop.where === 'before node') return `${at}, before ${node}`;
  return stop.where === 'after node' ? `${at}, after ${node}` : `${at}, in ${node}`;
}
