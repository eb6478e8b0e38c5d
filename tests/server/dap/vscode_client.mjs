// Debugs a program through VS Code's own test client: `node vscode_client.mjs PYTHON PROGRAM`.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('../../../web/package.json', import.meta.url));
const { DebugClient } = createRequire(web)('@vscode/debugadapter-testsupport');

const [python, program] = process.argv.slice(2);
const adapter = spawn(python, ['-m', 'backscope_server', 'dap', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
const port = await new Promise((resolve) => {
  adapter.stdout.once('data', (text) => resolve(Number(/:(\d+)/.exec(String(text))[1])));
});
const client = new DebugClient('node', '', 'backscope');
await client.start(port);

const source = { path: program };

/** Goes on by a request, and returns the body of the stop that follows. */
async function go(request) {
  const stop = client.waitForEvent('stopped', 60_000);
  await request();
  return (await stop).body;
}

/** Returns the frames, innermost first. */
async function frames() {
  return (await client.stackTraceRequest({ threadId: 1 })).body.stackFrames;
}

const asked = await client.initializeRequest({ adapterID: 'backscope', linesStartAt1: true, columnsStartAt1: true });
assert.ok(asked.body.supportsStepBack);
const ready = client.waitForEvent('initialized', 60_000);
await client.launchRequest({ program });
await ready;
const set = await client.setBreakpointsRequest({ source, breakpoints: [{ line: 8, condition: 'i == 1' }] });
assert.deepEqual(
  set.body.breakpoints.map(({ verified, line }) => [verified, line]),
  [[true, 8]],
);
assert.ok((await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'MulBackward0' }] })).body.breakpoints[0].verified);
await client.setExceptionBreakpointsRequest({ filters: ['nan'] });

let stop = await go(() => client.configurationDoneRequest());
assert.equal(stop.reason, 'function breakpoint');
let [top] = await frames();
assert.match(top.name, /^MulBackward0 #\d+ \(made at line 5\)$/);
const { scopes } = (await client.scopesRequest({ frameId: top.id })).body;
assert.deepEqual(
  scopes.map(({ name }) => name),
  ['Saved tensors', 'Incoming gradient', 'Gradients (.grad)'],
);
const saved = (await client.variablesRequest({ variablesReference: scopes[0].variablesReference })).body.variables;
assert.ok(saved.length > 0);
const rows = await client.send('disassemble', {
  memoryReference: top.instructionPointerReference,
  instructionOffset: -1,
  instructionCount: 3,
});
assert.match(rows.body.instructions[1].instruction, /^MulBackward0/);

stop = await go(() => client.send('next', { threadId: 1, granularity: 'instruction' }));
assert.equal(stop.reason, 'step');
stop = await go(() => client.stepBackRequest({ threadId: 1 }));
stop = await go(() => client.reverseContinueRequest({ threadId: 1 }));
assert.ok(['function breakpoint', 'step'].includes(stop.reason));
await client.setFunctionBreakpointsRequest({ breakpoints: [] });
stop = await go(() => client.continueRequest({ threadId: 1 }));
for (let n = 0; n < 3 && stop.reason !== 'breakpoint'; n += 1) {
  stop = await go(() => client.continueRequest({ threadId: 1 }));
}
assert.equal(stop.reason, 'breakpoint');
[top] = await frames();
assert.equal(top.line, 8);
const value = await client.evaluateRequest({ expression: 'i', frameId: top.id, context: 'watch' });
assert.equal(value.body.result, '1');
const info = await client.dataBreakpointInfoRequest({ name: 'w.grad' });
assert.ok(info.body.dataId);
assert.ok((await client.setDataBreakpointsRequest({ breakpoints: [{ dataId: info.body.dataId }] })).body.breakpoints[0].verified);
await client.setDataBreakpointsRequest({ breakpoints: [] });
const { result, memoryReference } = (await client.evaluateRequest({ expression: 'w', frameId: top.id, context: 'watch' })).body;
assert.match(result, /2/);
const memory = await client.send('readMemory', { memoryReference, offset: 0, count: 4 });
assert.equal(Buffer.from(memory.body.data, 'base64').readFloatLE(), 2);
const completed = await client.completionsRequest({ text: 'los', column: 4, frameId: top.id });
assert.deepEqual(
  completed.body.targets.map(({ label }) => label),
  ['loss'],
);
assert.equal((await client.threadsRequest()).body.threads.length, 1);
assert.equal((await client.send('loadedSources', {})).body.sources.length, 1);
await client.send('setExpression', { expression: 'i', value: '5', frameId: top.id });
const over = client.waitForEvent('terminated', 60_000);
await client.setBreakpointsRequest({ source, breakpoints: [] });
await client.continueRequest({ threadId: 1 });
await over;
await client.disconnectRequest({});
const status = await new Promise((resolve) => adapter.once('exit', resolve));
assert.equal(status, 0);
process.stdout.write('whole\n');
process.exit(0);
