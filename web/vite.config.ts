// How the page is built and served in development, and how its unit tests run.

import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';
import { licenses } from './licenses.ts';

const server = process.env.BACKSCOPE_SERVER ?? 'http://127.0.0.1:8000';
const token = process.env.BACKSCOPE_TOKEN;

export default defineConfig({
  plugins: [svelte(), svelteTesting(), licenses()],
  // The server puts the nonce of each answer in its place.
  html: { cspNonce: 'BACKSCOPE_NONCE' },
  build: {
    outDir: '../server/backscope_server/static',
    emptyOutDir: true,
    target: 'es2022',
    // Browsers of that age know modulepreload by themselves.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // How long plugins take says nothing about the page.
    rolldownOptions: { checks: { pluginTimings: false } },
    chunkSizeWarningLimit: 800,
  },
  server: {
    proxy: { '/api': { target: server, ws: true, headers: token ? { authorization: `Bearer ${token}` } : {} } },
  },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.ts'],
    // A window of its own for each file takes four times as long as the tests.
    isolate: false,
    // A slow machine is no failure.
    testTimeout: 60_000,
    passWithNoTests: true,
  },
});
