// What an operand of a sum is called: its variable, else what made it.

import type { Naming } from '../caption/naming';
import { asOperand } from '../caption/written-op';
import { isolated } from '../format/bidi';
import { nameOf } from '../format/op-name';
import { cutPaths } from '../layout/size';

/** A text has so many characters, and a path of attributes in it. */
const MOST_TEXT = 20;
const MOST_PATH = 12;

/** `w`, `tanh(h)`, of a long expression only its op: `mm(…)`; what made a tensor without an op: `randn(…)`; null where that is not known, or too long. */
export function operandName(naming: Naming, tensor: number): string | null {
  const variable = naming.variable(tensor);
  if (variable !== null) return isolated(variable);
  const { op, origin } = naming.state.history.tensors.get(tensor) ?? {};
  if (!op) return origin ? `${origin}(…)` : null;
  const text = cutPaths(naming.expression(op.op, op.inputs, 1), MOST_PATH);
  if ([...text].length <= MOST_TEXT) return isolated(asOperand(text));
  const called = `${nameOf(op.op, op.inputs)}(…)`;
  return [...called].length <= MOST_TEXT ? isolated(called) : null;
}
