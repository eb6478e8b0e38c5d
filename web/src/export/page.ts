// The run as one HTML file that plays it without a server: the template that the server has, with the trace put into it.

import { compress } from '../app/compression';
import * as say from '../messages/export';
import type { About } from '../single/about';

const TEMPLATE = '/single.txt';

/** A file's bytes as base64, whatever its size. */
export function base64(bytes: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(bytes);
  });
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The page of a trace. What the program wrote is in it as base64 only, but for the title, so that none of it is markup. */
export async function fillPage(template: string, trace: Blob, about: About): Promise<Blob> {
  const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join('');
  const packed = await compress(JSON.stringify(about), 'gzip');
  const parts: Record<string, string> = {
    TITLE: escaped(say.titleOf(about.name)),
    NONCE: nonce,
    ABOUT: await base64(new Blob([packed])),
    RECORDING: await base64(trace),
  };
  // As a list of parts: a long trace would not fit into one string twice.
  return new Blob(
    template.split(/BACKSCOPE_(TITLE|NONCE|ABOUT|RECORDING)/).map((part, i) => (i % 2 === 1 ? parts[part]! : part)),
    { type: 'text/html' },
  );
}

/** The page of a trace, made of the template that the server has; throws an error that says what to do. */
export async function writePage(trace: Blob, about: About): Promise<Blob> {
  const answer = await fetch(TEMPLATE).catch(() => null);
  if (!answer?.ok) throw new Error(say.theTemplateIsAway);
  return fillPage(await answer.text(), trace, about);
}
