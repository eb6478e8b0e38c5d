// The recorded event streams that the engine's tests and the page's tests share, for tests only.

/// <reference types="node" />

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Event } from './events';

const FOLDER = join(import.meta.dirname, '../../../tests/golden');

/** Each recorded program by its name, with its events. */
export function goldens(): [name: string, events: Event[]][] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.jsonl'));
  return files.sort().map((file) => {
    const lines = readFileSync(join(FOLDER, file), 'utf8').trimEnd().split('\n');
    return [file.replace('.jsonl', ''), lines.map((line) => JSON.parse(line) as Event)];
  });
}
