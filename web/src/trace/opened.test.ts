// Protects: what the engine records opens in the page, read as from a file, shown from its beginning to its end.
// With BACKSCOPE_TRACES the files in that folder are opened, else the recorded programs that all tests share, and the
// traces that are kept of each version of the protocol.

/// <reference types="node" />

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { sentence } from '../caption/caption';

import { type Event, PROTOCOL_VERSION } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { outline } from '../scene/outline';
import { buildScene } from '../scene/scene';
import { opened } from '../scene/walks';
import { writeTrace } from './trace';
import { readEvents } from './trace-reading';

const MOMENTS = 12;
// Thousands of leaves take half a minute on an idle machine.
vi.setConfig({ testTimeout: 600_000 });

const folder = process.env.BACKSCOPE_TRACES;
const KEPT = join(import.meta.dirname, '../../../tests/traces');
const kept = readdirSync(KEPT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.backscope'));

const files: [name: string, file: () => Promise<Blob>][] = folder
  ? readdirSync(folder)
      .filter((name) => name.endsWith('.backscope'))
      .map((name) => [name, async () => new Blob([readFileSync(join(folder, name))])])
  : [
      ...goldens().map(([name, events]): (typeof files)[number] => [name, () => writeTrace(events)]),
      ...kept.map((name): (typeof files)[number] => [name, async () => new Blob([readFileSync(join(KEPT, name))])]),
    ];

test.skipIf(folder)('a trace is kept of every version of the protocol', () => {
  const versions = Array.from({ length: PROTOCOL_VERSION }, (_, index) => `protocol_${index + 1}`);
  expect(versions.filter((version) => !kept.some((name) => name.startsWith(version)))).toEqual([]);
});

test.each(files)('%s opens', async (_, file) => {
  const events: Event[] = [];
  await readEvents(await file(), (batch) => events.push(...batch));
  expect(events.at(-1)?.kind).toBe('program_finished');
  const { timeline, layout, log } = opened(events);
  const last = timeline.moments.length - 1;
  for (let step = 0; step <= MOMENTS; step += 1) {
    const at = Math.round((last * step) / MOMENTS);
    const state = timeline.stateAt(at);
    const scene = buildScene(state, layout, { selection: null, hover: null });
    scene.visible(scene.bounds);
    const said = [sentence(state, timeline.moments[at]!, log), ...outline(scene).map((entry) => entry.label)];
    expect(said.filter((text) => /undefined|NaN px|\[object|\[native code\]/.test(text))).toEqual([]);
  }
  const shown = timeline.stateAt(last);
  expect(shown.seq).toBe(events.at(-1)!.seq);
});
