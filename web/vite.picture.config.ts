// How the drawing of pictures is built for Node, with its fonts beside it: for `backscope export --svg` and its like.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { defineConfig, type Plugin } from 'vite';
import { licenses } from './licenses.ts';

const require = createRequire(import.meta.url);
const FAMILIES = { inter: 'inter', mono: 'jetbrains-mono' };
/** Besides Latin letters, each in a file of its own as the page has them. */
const SCRIPTS = ['latin', 'latin-ext', 'greek', 'cyrillic', 'cyrillic-ext', 'vietnamese'];

/** The page's fonts as TrueType, which is what rasterizers read, and as WOFF2 those that a vector picture brings along. */
function fonts(): Plugin {
  return {
    name: 'fonts',
    async generateBundle() {
      const decompress = require('wawoff2/decompress.js') as (packed: Uint8Array) => Promise<Uint8Array>;
      for (const [name, family] of Object.entries(FAMILIES)) {
        for (const script of SCRIPTS) {
          const packed = await readFile(
            require.resolve(`@fontsource-variable/${family}/files/${family}-${script}-wght-normal.woff2`),
          );
          const file = script === 'latin' ? name : `${name}-${script}`;
          const source = await decompress(packed);
          this.emitFile({ type: 'asset', fileName: `picture/fonts/${file}.ttf`, source });
          if (script === 'latin')
            this.emitFile({ type: 'asset', fileName: `picture/fonts/${name}.woff2`, source: packed });
        }
      }
    },
  };
}

export default defineConfig({
  plugins: [licenses(), fonts()],
  publicDir: false,
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: 'src/export/command/main.ts',
    outDir: '../server/backscope_server/static',
    emptyOutDir: false,
    target: 'node20',
    minify: true,
    rolldownOptions: {
      output: { entryFileNames: 'picture/picture.mjs', codeSplitting: false },
      checks: { pluginTimings: false },
    },
  },
});
