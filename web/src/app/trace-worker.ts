// Reads a trace file beside the page, so that neither its size nor what is in it can hold the page up.

import * as say from '../messages/trace';
import { TraceFileError } from './trace-format';
import { readEvents } from './trace-reading';

export type TraceMessage = { events: unknown[]; share: number } | { done: true } | { problem: string };

const post = (message: TraceMessage) => postMessage(message);

addEventListener('message', async ({ data }: MessageEvent<Blob>) => {
  try {
    await readEvents(data, (events, share) => post({ events, share }));
    post({ done: true });
  } catch (error) {
    const known = error instanceof TraceFileError;
    post({ problem: known ? error.message : say.thisTraceCannotBeRead });
  }
});
