// Prints how long the layout takes for recorded runs: node scripts/time-layout.mjs RUN.jsonl...

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createServer } from 'vite';

const ROUNDS = 5;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const server = await createServer({ server: { middlewareMode: true }, appType: 'custom', logLevel: 'error' });
const { MirrorLayout } = await server.ssrLoadModule('/src/layout/mirror.ts');
const { EventLog } = await server.ssrLoadModule('/src/store/log.ts');
const cell = (text, width) => String(text).padStart(width);
console.log(
  `${'run'.padEnd(28)}${cell('events', 9)}${cell('nodes', 9)}${cell('first ms', 10)}${cell('median ms', 11)}${cell('cpu ms', 9)}`,
);
for (const file of process.argv.slice(2)) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line));
  // Forward ops together with the nodes that ran backward.
  const nodes = events.filter(({ kind }) => kind === 'op_applied' || kind === 'node_started').length;
  const times = [];
  const cpu = [];
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
  }
  const row = [
    cell(events.length, 9),
    cell(nodes, 9),
    cell(times[0].toFixed(0), 10),
    cell(median(times).toFixed(0), 11),
    cell(median(cpu).toFixed(0), 9),
  ];
  console.log(basename(file).padEnd(28) + row.join(''));
}
await server.close();
