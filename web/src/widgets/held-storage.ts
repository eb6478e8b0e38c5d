// A page in a frame, or in a file, may be denied its storage, and reading it then throws: what it notes is held in memory.

try {
  localStorage.getItem('');
  sessionStorage.getItem('');
} catch {
  const held = (): Storage => {
    const entries = new Map<string, string>();
    return {
      get length() {
        return entries.size;
      },
      clear: () => entries.clear(),
      getItem: (key) => entries.get(key) ?? null,
      key: (index) => [...entries.keys()][index] ?? null,
      removeItem: (key) => void entries.delete(key),
      setItem: (key, value) => void entries.set(key, String(value)),
    };
  };
  Object.defineProperty(globalThis, 'localStorage', { value: held() });
  Object.defineProperty(globalThis, 'sessionStorage', { value: held() });
}
