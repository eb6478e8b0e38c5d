// Protects: each op is called as the terminal calls it; `tests/golden/test_op_names.py` holds that no name is private.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { expressionOf } from '../caption/written-op';
import type { Event } from '../protocol/events';
import { goldens } from '../protocol/goldens';

const GOLDEN = join(import.meta.dirname, '../../../tests/golden');

function samples(): Event[] {
  const lines = gunzipSync(readFileSync(join(GOLDEN, 'samples.jsonl.gz')))
    .toString('utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Event);
}

// `npx vitest run src/format/op-name.test.ts -u` writes the file anew.
it('writes every recorded op as it was recorded', async () => {
  const written: Record<string, Set<string>> = {};
  for (const event of [...samples(), ...goldens().flatMap(([, events]) => events)]) {
    if (event.kind !== 'op_applied') continue;
    const letters = new Map<number, string>();
    for (const { tensor } of event.inputs) {
      if (tensor !== null && !letters.has(tensor)) letters.set(tensor, `t${letters.size}`);
    }
    const letter = (tensor: number) => letters.get(tensor)!;
    const texts = written[event.op] ?? new Set();
    written[event.op] = texts;
    if (texts.size < 3) texts.add(expressionOf(event.op, event.inputs, letter, letter));
  }
  const sorted = Object.keys(written)
    .sort()
    .map((op) => ` ${JSON.stringify(op)}: ${JSON.stringify([...written[op]!])}`);
  await expect(`{\n${sorted.join(',\n')}\n}\n`).toMatchFileSnapshot(join(GOLDEN, 'sentences/written_ops.json'));
});
