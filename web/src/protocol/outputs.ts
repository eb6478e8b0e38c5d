// The outputs of an op that a program holds.

import type { OpApplied, TensorInfo } from './events';

/** Without those that only the node's formula uses. */
export function heldOutputs({ outputs, hidden }: OpApplied): TensorInfo[] {
  return hidden.length ? outputs.filter((_, nr) => !hidden.includes(nr)) : outputs;
}
