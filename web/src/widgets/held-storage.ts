// A page may be denied its storage, as in a frame, in a file, or by a browser that refuses cookies, and reading it then
// throws: what it notes is held in memory.

try {
  localStorage.getItem(sessionStorage.getItem('') ?? '');
} catch {
  for (const name of ['localStorage', 'sessionStorage']) {
    const entries = new Map<string, string>();
    const value: Pick<Storage, 'getItem' | 'removeItem' | 'setItem'> = {
      getItem: (key) => entries.get(key) ?? null,
      removeItem: (key) => entries.delete(key),
      setItem: (key, text) => entries.set(key, text),
    };
    Object.defineProperty(globalThis, name, { value });
  }
}
