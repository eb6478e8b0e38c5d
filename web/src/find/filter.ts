// Filters of the graph: broken values, memory, parameters without a gradient, one backward pass, one module.

export type Filter =
  | { kind: 'nan' | 'held' | 'freed' | 'unreached' }
  | { kind: 'pass'; call: number }
  | { kind: 'module'; path: string };

/** The filters that exclude one another: of one kind there is at most one. */
const RIVALS: Record<Filter['kind'], string> = {
  nan: 'nan',
  held: 'memory',
  freed: 'memory',
  unreached: 'unreached',
  pass: 'pass',
  module: 'module',
};

/** Adds a filter in place of its rivals; one that is there already is taken away. */
export function toggled(filters: readonly Filter[], filter: Filter): Filter[] {
  const others = filters.filter(({ kind }) => RIVALS[kind] !== RIVALS[filter.kind]);
  return filters.some((one) => keyOfFilter(one) === keyOfFilter(filter)) ? others : [...others, filter];
}

/** A text that is the same for the same filter, for links. */
export function keyOfFilter(filter: Filter): string {
  if (filter.kind === 'pass') return `pass:${filter.call}`;
  return filter.kind === 'module' ? `module:${filter.path}` : filter.kind;
}

/** Reads what `keyOfFilter` wrote; null for anything else. */
export function readFilter(text: string): Filter | null {
  const [, kind, rest] = /^([a-z]+)(?::(.+))?$/s.exec(text) ?? [];
  if (kind === 'pass') return /^\d+$/.test(rest ?? '') ? { kind, call: Number(rest) } : null;
  if (kind === 'module') return rest ? { kind, path: rest } : null;
  const plain = kind === 'nan' || kind === 'held' || kind === 'freed' || kind === 'unreached';
  return plain && rest === undefined ? { kind } : null;
}

/** Whether a filter names something that only one program has. */
export function isOfProgram({ kind }: Filter): boolean {
  return kind === 'pass' || kind === 'module';
}
