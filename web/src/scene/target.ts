// What on the stage can be pointed at and selected.

export type Target =
  | { type: 'tensor'; tensor: number }
  | { type: 'node'; node: number }
  | { type: 'op'; seq: number }
  | { type: 'saved'; node: number; slot: string }
  | { type: 'edge'; node: number; inputNr: number }
  /** One call of a module. */
  | { type: 'module'; call: number };

/** Whether two targets are one thing. */
export function isSame(a: Target | null, b: Target | null): boolean {
  return a === b || (a !== null && b !== null && keyOf(a) === keyOf(b));
}

/** A text that is the same for the same thing and for nothing else. */
export function keyOf(target: Target): string {
  switch (target.type) {
    case 'tensor':
      return `tensor:${target.tensor}`;
    case 'node':
      return `node:${target.node}`;
    case 'op':
      return `op:${target.seq}`;
    case 'saved':
      return `saved:${target.node}/${target.slot}`;
    case 'module':
      return `module:${target.call}`;
    case 'edge':
      return `edge:${target.node}/${target.inputNr}`;
  }
}
