// A run that goes on while it is shown: a notebook's widget around this frame gives its events and is told the cursor.

import { Intake, painted } from '../run/intake';
import { Run } from '../run/run.svelte';
import { readLines } from '../trace/lines';
import type { Workbench } from '../workbench/workbench.svelte';

/** What the widget sends: bytes of the log from `at` on, or a step to go to, where 0 is before the first. */
type Received = { backscope: 'events'; at: number; bytes: Uint8Array } | { backscope: 'step'; step: number };

const tell = (message: Record<string, unknown>) => parent.postMessage({ backscope: 'frame', ...message }, '*');

/** Shows the run whose events the page around this one has, from its beginning; `failed` is called where they are damaged. */
export function followWidget(bench: Workbench, failed: (error: unknown) => void): void {
  const run = Run.of('');
  run.connection = { state: 'live' };
  let isDamaged = false;
  const fail = (error: unknown) => {
    isDamaged = true;
    intake.close();
    failed(error);
  };
  const intake = new Intake({
    take: (batch) => {
      try {
        run.take(batch);
      } catch (error) {
        fail(error);
      }
    },
    show: () => {
      run.settle();
      if (bench.run === run) return;
      bench.show(run, null);
      $effect.root(() => {
        $effect(() => tell({ step: run.cursor + 1, seq: run.seq }));
      });
    },
    shown: painted,
  });
  const lines = readLines();
  let taken = 0;
  const take = (bytes: Uint8Array) => {
    taken += bytes.byteLength;
    run.nbytes = taken;
    const events = lines(bytes);
    if (events.length > 0) intake.add(events);
    if (events.at(-1)?.kind === 'program_finished') intake.after(() => (run.connection = { state: 'ended' }));
    else if (!isDamaged) tell({ next: taken });
  };
  addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    const message = data as Received | null;
    if (isDamaged || source !== parent || typeof message !== 'object' || message === null) return;
    if (message.backscope === 'step') run.seek(message.step - 1);
    else if (message.backscope === 'events' && message.at === taken) {
      try {
        take(message.bytes);
      } catch (error) {
        fail(error);
      }
    }
  });
  tell({ next: 0 });
}
