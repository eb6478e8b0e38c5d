// Looks up a name of the program's, which may be one that every object of JavaScript has, as `constructor` or `toString`.

/** What a table has under a name of its own. */
export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
