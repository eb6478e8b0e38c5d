// Downloads the run as a file.

import { saving } from '../run/saving.svelte';
import type { Workbench } from './workbench.svelte';

/** Has the browser save a file. */
export function save(file: Blob, name: string): void {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(file);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}

/** What files of the run are called, without an ending. */
export function nameOf(bench: Workbench): string {
  return bench.example ?? 'program';
}

/** Has the browser save the run as a `.backscope` file. */
export async function exportTrace(bench: Workbench): Promise<void> {
  const name = `${nameOf(bench)}.backscope`;
  const trace = await saving.make(name, async (report, signal) => (await bench.run?.trace(report, signal)) ?? null);
  if (trace) save(trace, name);
}
