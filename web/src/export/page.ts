// The run as one HTML file that plays it without a server: the template that the server has, with the trace put into it.

import * as say from '../messages/export';
import { compress } from '../trace/compression';
import type { About } from './recording-facts';

const TEMPLATE = '/single.txt';

/** Bytes that are written as base64 at once: whole groups of three. */
const SLICE_BYTES = 3 * 2 ** 18;

/** Bytes of a small file as base64. */
export function base64(bytes: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(bytes);
  });
}

/** A file's bytes as base64, whatever its size: in slices, so that the page answers between them; `report` gets the share. */
async function base64InSlices(bytes: Blob, report: (share: number) => void, signal?: AbortSignal): Promise<Blob> {
  const parts: Blob[] = [];
  for (let at = 0; at < bytes.size; at += SLICE_BYTES) {
    signal?.throwIfAborted();
    parts.push(new Blob([await base64(bytes.slice(at, at + SLICE_BYTES))]));
    report(Math.min(1, (at + SLICE_BYTES) / bytes.size));
  }
  return new Blob(parts);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The page of a trace. What the program wrote is in it as base64 only, but for the title, so that none of it is markup. */
export async function fillPage(
  template: string,
  trace: Blob,
  about: About,
  report: (share: number) => void = () => {},
  signal?: AbortSignal,
): Promise<Blob> {
  const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join('');
  const packed = await compress(JSON.stringify(about), 'gzip');
  const parts: Record<string, string | Blob> = {
    TITLE: escaped(say.titleOf(about.name)),
    NONCE: nonce,
    ABOUT: await base64(new Blob([packed])),
    RECORDING: await base64InSlices(trace, report, signal),
  };
  // As a list of parts: a long trace would not fit into one string twice.
  return new Blob(
    template.split(/BACKSCOPE_(TITLE|NONCE|ABOUT|RECORDING)/).map((part, i) => (i % 2 === 1 ? parts[part]! : part)),
    { type: 'text/html' },
  );
}

/** The page of a trace, made of the template that the server has; throws an error that says what to do. */
export async function writePage(
  trace: Blob,
  about: About,
  report: (share: number) => void,
  signal?: AbortSignal,
): Promise<Blob> {
  const answer = await fetch(TEMPLATE, { signal: signal ?? null }).catch(() => null);
  signal?.throwIfAborted();
  if (!answer?.ok) throw new Error(say.templateNotLoaded);
  return fillPage(await answer.text(), trace, about, report, signal);
}
