// What the reader calls the leaves that a note is about.

import type { History } from '../timeline/history';

/** Names leaves by their paths in modules, else by the variables that held them first. */
export class Names {
  readonly #paths: ReadonlyMap<number, readonly string[]>;
  /** How many parameters that require grad each module has, those of modules inside it included. */
  readonly #counts = new Map<string, number>();

  constructor(private readonly history: History) {
    this.#paths = history.whereabouts.parameterPaths();
    for (const { tensor, origin, requiresGrad } of history.tensors.values()) {
      if (origin !== 'Parameter' || requiresGrad.last !== true) continue;
      for (const path of modulesOf(this.of(tensor) ?? '')) this.#counts.set(path, (this.#counts.get(path) ?? 0) + 1);
    }
  }

  /** The name of one leaf; null where it has none. */
  of(tensor: number): string | null {
    return this.#paths.get(tensor)?.[0] ?? this.history.tensors.get(tensor)?.names.entries[0] ?? null;
  }

  /** The names of some leaves; all parameters of a module are called by its path. */
  ofAll(tensors: readonly number[]): string[] {
    const names = tensors.flatMap((tensor) => this.of(tensor) ?? []);
    if (names.length < 2) return names;
    const shared = modulesOf(names[0]!).findLast((path) => names.every((name) => name.startsWith(`${path}.`)));
    return shared !== undefined && this.#counts.get(shared) === names.length ? [shared] : names;
  }
}

/** The modules that a parameter lies in by its path, the outermost first. */
function modulesOf(name: string): string[] {
  const parts = name.split('.');
  return parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join('.'));
}
