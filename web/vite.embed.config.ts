// How the view for frames is built: by itself, because what it shares with the page would cut the page into small files.

import { fileURLToPath } from 'node:url';
import { mergeConfig } from 'vite';
import page from './vite.config.ts';

type Modules = { getModuleInfo(id: string): { importedIds: readonly string[] } | null };

const ENTRY = fileURLToPath(new URL('src/embed/main.ts', import.meta.url));
let needed: Set<string> | null = null;

/** The file of what the first picture needs: as one it is an eighth smaller than as forty. */
function fileOf(id: string, modules: Modules): string | null {
  needed ??= neededBy(ENTRY, modules);
  return needed.has(id) && !id.endsWith('.css') ? 'first' : null;
}

function neededBy(entry: string, modules: Modules): Set<string> {
  const found = new Set([entry]);
  // A set visits what is added meanwhile.
  for (const id of found) for (const next of modules.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}

export default mergeConfig(page, {
  build: {
    emptyOutDir: false,
    rolldownOptions: {
      input: 'embed.html',
      output: { codeSplitting: { groups: [{ debugName: 'first', name: fileOf }] } },
    },
  },
});
