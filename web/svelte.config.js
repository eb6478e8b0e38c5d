import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

export default {
  preprocess: vitePreprocess(),
  // The version of Svelte that a page discloses takes a file of the first download.
  compilerOptions: { runes: true, discloseVersion: false },
};
