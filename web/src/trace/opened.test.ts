// Protects: what the engine records opens in the page, read as from a file, shown from its beginning to its end.
// With BACKSCOPE_TRACES the files in that folder are opened, else the recorded programs that all tests share.

/// <reference types="node" />

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sentence } from '../caption/caption';

import type { Event } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { outline } from '../scene/outline';
import { buildScene } from '../scene/scene';
import { opened } from '../scene/walks';
import { writeTrace } from './trace';
import { readEvents } from './trace-reading';

const MOMENTS = 12;

const folder = process.env.BACKSCOPE_TRACES;
const files: [name: string, file: () => Promise<Blob>][] = folder
  ? readdirSync(folder)
      .filter((name) => name.endsWith('.backscope'))
      .map((name) => [name, async () => new Blob([readFileSync(join(folder, name))])])
  : goldens().map(([name, events]) => [name, () => writeTrace(events)]);

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
