// The dims that a broadcast added to a shape or made longer.

/** The dims that a broadcast of `to` gave `from`, or made longer. */
export function foldedDims(from: readonly number[], to: readonly number[]): number[] {
  const lead = from.length - to.length;
  return from.flatMap((size, dim) => (dim < lead || (to[dim - lead] === 1 && size !== 1) ? [dim] : []));
}
