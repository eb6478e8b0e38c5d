// Trace files in the browser: a gzipped header line and the events as JSON lines, read and written without a server.

import * as say from '../messages/trace';
import type { Event } from '../protocol/events';
import { PROTOCOL_VERSION } from '../protocol/events';
import { compress } from './compression';
import { TRACE_VERSION, TraceFileError } from './trace-format';
import type { TraceMessage } from './trace-worker';
import workerAddress from './trace-worker.ts?worker&url';

/** What the page's policy lets be run as a script of its own: this worker and nothing else. */
const policy = globalThis.trustedTypes?.createPolicy('backscope-worker', { createScriptURL: () => workerAddress });

function newWorker(): Worker {
  const address = policy?.createScriptURL('') ?? workerAddress;
  return new Worker(address as string, { type: 'module' });
}

/** Has the browser keep the reader's script, so that a file can be opened when the server is gone. */
export async function fetchReader(): Promise<void> {
  await fetch(workerAddress).then((answer) => answer.arrayBuffer());
}

/**
 * Gives the events of a `.backscope` file in batches, with the share of the file that is read; raises TraceFileError for
 * anything else, and what `deliver` raises.
 */
export function readTrace(
  file: Blob,
  deliver: (batch: Event[], share: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  const worker = newWorker();
  return new Promise<void>((resolve, reject) => {
    signal?.addEventListener('abort', () => {
      worker.terminate();
      reject(signal.reason);
    });
    worker.onmessage = ({ data }: MessageEvent<TraceMessage>) => {
      if (signal?.aborted) return;
      if ('events' in data) {
        try {
          deliver(data.events as Event[], data.share);
        } catch (error) {
          reject(error);
        }
      } else if ('problem' in data) reject(new TraceFileError(data.problem));
      else resolve();
    };
    worker.onerror = () => reject(new TraceFileError(say.thisTraceCannotBeReadIt));
    worker.postMessage(file);
  }).finally(() => worker.terminate());
}

/** The events as a `.backscope` file. */
export async function writeTrace(events: readonly Event[]): Promise<Blob> {
  const header = JSON.stringify({ backscope_trace: TRACE_VERSION, protocol: PROTOCOL_VERSION });
  const parts = [`${header}\n`, ...events.map((event) => `${JSON.stringify(event)}\n`)];
  return new Blob([await compress(new Blob(parts), 'gzip')], { type: 'application/gzip' });
}
