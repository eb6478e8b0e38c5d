// Trace files in the browser: a gzipped header line and the events as JSON lines, read and written without a server.

import { Slices } from '../layout/pace/slices';
import * as say from '../messages/trace';
import type { Event } from '../protocol/events';
import { PROTOCOL_VERSION } from '../protocol/events';
import { inFile } from '../protocol/file-lines';
import type { Events } from '../store/log';
import { complete, TRACE_VERSION, TraceFileError } from './trace-format';
import type { TraceMessage } from './trace-worker';
import workerAddress from './trace-worker.ts?worker&url';

/** How long events are written at first before the page may answer. */
const FIRST_MS = 12;

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
 * Gives the events of a `.backscope` file in batches, with the share of the file that is read and about how long their text is;
 * raises TraceFileError for anything else, and what `deliver` raises.
 */
export function readTrace(
  file: Blob,
  deliver: (batch: Event[], share: number, nbytes: number) => void,
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
          deliver((JSON.parse(data.events) as Event[]).map(complete), data.share, data.events.length);
        } catch (error) {
          reject(error);
        }
      } else if ('problem' in data) reject(new TraceFileError(data.problem));
      else resolve();
    };
    worker.onerror = () => reject(new TraceFileError(say.outOfMemory));
    worker.postMessage(file);
  }).finally(() => worker.terminate());
}

/** For JSON.stringify: a line as events have it, its number in its own file. */
function inOwnFile(name: string, value: unknown): unknown {
  if (name === 'line' && typeof value === 'number') return inFile(value);
  return name === 'lines' && Array.isArray(value) ? value.map(inFile) : value;
}

/** The events as a `.backscope` file, written in slices; `report` gets the share that is written; rejects when `signal` ends it. */
export async function writeTrace(
  events: Events,
  report?: (share: number) => void,
  signal?: AbortSignal,
): Promise<Blob> {
  const encoder = new TextEncoder();
  let text = `${JSON.stringify({ backscope_trace: TRACE_VERSION, protocol: PROTOCOL_VERSION })}\n`;
  let at = 0;
  const pace = new Slices({ first: FIRST_MS });
  const lines = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      if (at > 0) await new Promise<void>((resume) => pace.next(resume));
      if (signal?.aborted) throw signal.reason;
      pace.begin();
      while (at < events.length && !pace.over()) {
        text += `${JSON.stringify(events.at(at), inOwnFile)}\n`;
        at += 1;
      }
      controller.enqueue(encoder.encode(text));
      text = '';
      if (at === events.length) controller.close();
      else report?.(at / events.length);
    },
  });
  try {
    const packed = new Response(lines.pipeThrough(new CompressionStream('gzip')));
    return new Blob([await packed.arrayBuffer()], { type: 'application/gzip' });
  } finally {
    pace.stop();
  }
}
