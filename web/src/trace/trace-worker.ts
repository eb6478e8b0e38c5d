// Reads a trace file beside the page, so that neither its size nor what is in it can hold the page up.

import * as say from '../messages/trace';
import { TraceFileError } from './trace-format';
import { readEvents } from './trace-reading';

/** Events go as their text: read on the page, numbers side by side take half the memory that a copied list of them takes. */
export type TraceMessage = { events: string; share: number } | { done: true } | { problem: string };

const post = (message: TraceMessage) => postMessage(message);

addEventListener('message', async ({ data }: MessageEvent<Blob>) => {
  try {
    await readEvents(data, (_, share, lines) => post({ events: `[${lines.join()}]`, share }));
    post({ done: true });
  } catch (error) {
    const known = error instanceof TraceFileError;
    post({ problem: known ? error.message : say.unreadable });
  }
});
