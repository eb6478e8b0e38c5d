// Prints how long the layout takes for recorded runs, as a whole and at most between two turns of the page:
// node scripts/time-layout.mjs RUN.jsonl...

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createServer } from 'vite';

const ROUNDS = 5;

/** Lays out in slices; returns how long the longest took. */
function longestSlice(events) {
  let end = 0;
  let next = null;
  const pace = {
    begin: () => {
      end = performance.now() + SLICE_MS;
    },
    over: () => performance.now() >= end,
    next: (run) => {
      next = run;
    },
    stop: () => {},
  };
  const log = new EventLog();
  const layout = new MirrorLayout(log, pace);
  next = () => log.append(events);
  let longest = 0;
  while (next) {
    const run = next;
    next = null;
    const begun = performance.now();
    run();
    longest = Math.max(longest, performance.now() - begun);
  }
  layout.close();
  return longest;
}

const server = await createServer({ server: { middlewareMode: true }, appType: 'custom', logLevel: 'error' });
const { MirrorLayout } = await server.ssrLoadModule('/src/layout/mirror.ts');
const { SLICE_MS } = await server.ssrLoadModule('/src/layout/pace/slices.ts');
const { EventLog } = await server.ssrLoadModule('/src/store/log.ts');
const cell = (text, width) => String(text).padStart(width);
console.log(
  `${'run'.padEnd(28)}${cell('events', 9)}${cell('nodes', 9)}${cell('first ms', 10)}${cell('least ms', 10)}${cell('cpu ms', 9)}${cell('slice ms', 10)}`,
);
for (const file of process.argv.slice(2)) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line));
  // Forward ops together with the nodes that ran backward.
  const nodes = events.filter(({ kind }) => kind === 'op_applied' || kind === 'node_started').length;
  const times = [];
  const cpu = [];
  const slices = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const log = new EventLog();
    const layout = new MirrorLayout(log);
    const begun = performance.now();
    const used = process.cpuUsage();
    log.append(events);
    times.push(performance.now() - begun);
    // On a machine with other work, the time on its processors says more than the clock.
    cpu.push(process.cpuUsage(used).user / 1000);
    layout.close();
    slices.push(longestSlice(events));
  }
  const row = [
    cell(events.length, 9),
    cell(nodes, 9),
    cell(times[0].toFixed(0), 10),
    cell(Math.min(...times).toFixed(0), 10),
    cell(Math.min(...cpu).toFixed(0), 9),
    cell(Math.min(...slices).toFixed(0), 10),
  ];
  console.log(basename(file).padEnd(28) + row.join(''));
}
await server.close();
