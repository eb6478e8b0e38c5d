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

/** The events of a `.backscope` file; raises TraceFileError for anything else. */
export function readTrace(file: Blob): Promise<Event[]> {
  const worker = newWorker();
  const events: Event[] = [];
  return new Promise<Event[]>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<TraceMessage>) => {
      if ('events' in data) for (const event of data.events) events.push(event as Event);
      else if ('problem' in data) reject(new TraceFileError(data.problem));
      else resolve(events);
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
