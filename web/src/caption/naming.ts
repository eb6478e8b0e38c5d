// The names of tensors and nodes in sentences: the variable first, else the value, else the op that made them.

import { shape, takesAn, values } from '../format/number';
import type { Argument, Summary } from '../protocol/events';
import type { RunState } from '../timeline/state';
import { nameAt } from '../timeline/state';
import { say } from './say';
import { asOperand, expressionOf } from './written-op';

const VALUE_CHARS = 28;
/** How far unnamed operands are written out, and how long they may get. */
const MOST_NESTED = 2;
const MOST_EXPRESSION = 32;

/** A tensor's content in a sentence: its elements if they fit, else its shape. */
export function content(value: Summary): string {
  return values(value, VALUE_CHARS) ?? shapedTensor(value);
}

/** A tensor of which only the shape has room: `an [8, 4] tensor`. */
export function shapedTensor(value: Summary): string {
  return say(takesAn(value.shape) ? 'shaped.an_tensor' : 'shaped.a_tensor', { shape: shape(value.shape) });
}

/** A gradient in a sentence. */
export function gradientContent(value: Summary): string {
  const called = takesAn(value.shape) ? 'shaped.an_gradient' : 'shaped.a_gradient';
  return values(value, VALUE_CHARS) ?? say(called, { shape: shape(value.shape) });
}

/** Names things as they are called at one state. */
export class Naming {
  constructor(readonly state: RunState) {}

  /** The variable's name; `x.grad` for what a leaf has in `.grad`; null without one. */
  variable(tensor: number): string | null {
    const { history, seq } = this.state;
    const own = history.tensors.get(tensor);
    const name = own ? nameAt(own, seq) : null;
    if (name) return name;
    const leaf = history.gradOf.get(tensor);
    const called = leaf === undefined ? null : this.variable(leaf);
    return called ? say('held.grad', { name: called }) : null;
  }

  /** The variable, else how it was computed, else the value of a small tensor, else its shape. */
  tensor(tensor: number, depth = 0): string {
    const name = this.variable(tensor);
    if (name) return name;
    const op = this.state.history.tensors.get(tensor)?.op;
    if (op && depth < MOST_NESTED) {
      const text = this.expression(op.op, op.inputs, depth + 1);
      if ([...text].length <= MOST_EXPRESSION) return text;
    }
    const value = this.state.tensor(tensor)?.value;
    return value ? (values(value, VALUE_CHARS) ?? shape(value.shape)) : say('word.a_tensor');
  }

  /** The tensor with its value where that is small: `w = 3`. */
  valued(tensor: number): string {
    const name = this.variable(tensor);
    const value = this.state.tensor(tensor)?.value;
    const text = value ? values(value, 14) : null;
    if (name && text) return say('held.elements', { name, value: text });
    return name ?? text ?? this.tensor(tensor);
  }

  /** The variable of a leaf, or `the leaf` without one. */
  leaf(tensor: number): string {
    return this.variable(tensor) ?? say('word.the_leaf');
  }

  /** The `.grad` of a tensor: `w.grad`, or `the .grad of the leaf` without a variable. */
  grad(tensor: number): string {
    const name = this.variable(tensor);
    if (name) return say('held.grad', { name });
    const isLeaf = !this.state.history.tensors.get(tensor)?.op;
    return say('held.grad_unnamed', { tensor: isLeaf ? say('word.the_leaf') : this.tensor(tensor) });
  }

  /** The node's class name, such as MulBackward0. */
  node(node: number): string {
    return this.state.history.nodes.get(node)?.name ?? say('word.a_node');
  }

  /** Where a gradient arrives: the leaf, the variable that the node made, or the node itself. */
  receiver(node: number, outputNr: number): string {
    const { history } = this.state;
    const known = history.nodes.get(node);
    if (known?.leaf !== null && known?.leaf !== undefined) return this.leaf(known.leaf);
    const tensor = known?.made[outputNr] ?? known?.made[0];
    return (tensor === undefined ? null : this.variable(tensor)) ?? this.node(node);
  }

  /** An op and what it is applied to, as one would write it: `w × x`, `tanh(h)`. */
  expression(op: string, inputs: readonly Argument[], depth = 0): string {
    return expressionOf(
      op,
      op === 'unsafe_view' ? this.#uncopied(inputs) : inputs,
      (tensor) => this.tensor(tensor, depth),
      (tensor) => this.#operand(tensor, depth),
    );
  }

  /** What reshape() was given: where memory had to be copied for it, the copy was made on the way. */
  #uncopied(inputs: readonly Argument[]): readonly Argument[] {
    return inputs.map((input) => {
      const copied = input.tensor === null || this.variable(input.tensor) ? null : input.tensor;
      const made = copied === null ? undefined : this.state.history.tensors.get(copied)?.op;
      const tensor = made?.op === 'clone' ? (made.inputs[0]?.tensor ?? input.tensor) : input.tensor;
      return { ...input, tensor };
    });
  }

  #operand(tensor: number, depth: number): string {
    return asOperand(this.tensor(tensor, depth));
  }
}
