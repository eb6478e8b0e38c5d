// What a browser keeps by the names of lessons, whatever another version or a program wrote there.

/** The entries of an object that a storage keeps under a key; none where it is damaged, denied or longer than `most` characters. */
export function keptEntries(storage: () => Storage, key: string, most: number): [string, unknown][] {
  try {
    const text = storage().getItem(key) ?? '';
    const found: unknown = text.length > most ? null : JSON.parse(text || '{}');
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? Object.entries(found) : [];
  } catch {
    return [];
  }
}
