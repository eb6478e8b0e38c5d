// Handing the reader the run as a file.

import type { Workbench } from './workbench.svelte';

/** Has the browser save the run as a `.backscope` file. */
export async function exportTrace(bench: Workbench): Promise<void> {
  const trace = await bench.trace();
  if (!trace) return;
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(trace);
  anchor.download = `${bench.example ?? 'program'}.backscope`;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}
