// Protects lines of programs of several files: one number on the page, the file's name in texts, and events as they came when written.

import { expect, test } from 'vitest';
import { sentence } from '../caption/caption';
import { opened } from '../scene/walks';
import { writeTrace } from '../trace/trace';
import { readEvents } from '../trace/trace-reading';
import type { Event } from './events';
import { fileName, fileOf, inFile, lineText } from './file-lines';
import { goldens } from './goldens';

const RECORDED = goldens().find(([name]) => name === 'several_files')![1];
const events = () => structuredClone(RECORDED) as Event[];

test('a line of another file is a number of its own, and names its file', () => {
  const { log } = opened(events());
  const op = [...log].find((event) => event.kind === 'op_applied')!;
  expect(fileName(fileOf(op.line!))).toBe('scaled.py');
  expect(inFile(op.line!)).toBe(11);
  expect(lineText(op.line)).toBe('11 of scaled.py');
  expect(lineText(7)).toBe(7);
  expect(log.files.textOf(op.line!, [])).toBe('y = torch.exp(x * self.weight)');
});

test('lines of the main file stay as they are', () => {
  const { log } = opened(events());
  expect([...log].find((event) => event.kind === 'backward_started')?.line).toBe(6);
});

test('an error names both files', () => {
  const { timeline, log } = opened(events());
  const moment = timeline.moments.at(-1)!;
  expect(sentence(timeline.stateAt(moment.index), moment, log)).toContain('line 16 of scaled.py');
  const error = [...log].findLast((event) => event.kind === 'error_raised')!;
  expect(error.diagnosis!.lines.map((line) => String(lineText(line)))).toContain('16 of scaled.py');
});

test('a trace that is saved is the one that was opened', async () => {
  const { log } = opened(events());
  const read: Event[] = [];
  await readEvents(await writeTrace(log), (batch) => read.push(...batch));
  expect(read).toEqual(RECORDED);
});
