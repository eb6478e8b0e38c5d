// An order that is being made: the nodes that have a number, and the others below them.

/** The nodes of a question in the order in which they were made, or another one where that is the answer. */
export function mixed(answer: readonly number[]): number[] {
  const made = answer.toSorted((a, b) => a - b);
  const isAnswer = made.every((node, at) => node === answer[at]);
  return isAnswer ? [...made.slice(1), ...made.slice(0, 1)] : made;
}

/** Gives a node the next number; takes the number away from one that has one. */
export function toggled(order: readonly number[], node: number): number[] {
  return order.includes(node) ? order.filter((one) => one !== node) : [...order, node];
}

/** Moves a node up or down by one place; one without a number gets the last one. */
export function moved(order: readonly number[], node: number, by: -1 | 1): number[] {
  const from = order.indexOf(node);
  if (from < 0) return [...order, node];
  const to = Math.max(0, Math.min(order.length - 1, from + by));
  const others = order.filter((one) => one !== node);
  return [...others.slice(0, to), node, ...others.slice(to)];
}
