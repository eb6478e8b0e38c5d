// Attaches to a run of a page's server through VS Code's own test client: `node vscode_attached_client.mjs PYTHON URL PROGRAM`.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('../../../web/package.json', import.meta.url));
const { DebugClient } = createRequire(web)('@vscode/debugadapter-testsupport');

const [python, url, program] = process.argv.slice(2);
const adapter = spawn(python, ['-m', 'backscope_server', 'dap', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
const port = await new Promise((resolve) => {
  adapter.stdout.once('data', (text) => resolve(Number(/:(\d+)/.exec(String(text))[1])));
});
const client = new DebugClient('node', '', 'backscope');
await client.start(port);

/** Goes on by a request, and returns the body of the stop that follows. */
async function go(request) {
  const stop = client.waitForEvent('stopped', 60_000);
  await request();
  return (await stop).body;
}

await client.initializeRequest({ adapterID: 'backscope', linesStartAt1: true, columnsStartAt1: true });
const ready = client.waitForEvent('initialized', 60_000);
await client.attachRequest({ url, program });
await ready;
const set = await client.setBreakpointsRequest({ source: { path: program }, breakpoints: [{ line: 6 }] });
assert.ok(set.body.breakpoints[0].verified);
assert.equal((await go(() => client.configurationDoneRequest())).reason, 'pause');
assert.equal((await go(() => client.continueRequest({ threadId: 1 }))).reason, 'breakpoint');
const [top] = (await client.stackTraceRequest({ threadId: 1 })).body.stackFrames;
assert.deepEqual([top.line, top.source.path], [6, program]);
const { result } = (await client.evaluateRequest({ expression: 'loss.item()', frameId: top.id })).body;
assert.equal(result, '4.0');
assert.match((await go(() => client.stepInRequest({ threadId: 1, granularity: 'instruction' }))).text, /Backward0/);
assert.ok((await go(() => client.send('stepBack', { threadId: 1 }))).text);
const over = client.waitForEvent('terminated', 60_000);
await client.send('terminate', {});
await over;
await client.disconnectRequest();
adapter.kill();
console.log('whole');
