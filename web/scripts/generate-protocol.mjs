// Writes src/protocol/events.ts from src/protocol/schema.json; with --check it only says whether the file is current.
// The schema is what the engine prints: `python -m backscope.protocol.schema > src/protocol/schema.json`.

import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';

const folder = new URL('../src/protocol/', import.meta.url);
const target = new URL('events.ts', folder);

const BANNER = `// The protocol, one interface for each kind of event, command and answer, and for each struct in them.
//
// Generated from engine/backscope/protocol/events/ and commands.py; do not edit. After a change there, in the folder web:
//     python -m backscope.protocol.schema > src/protocol/schema.json && node scripts/generate-protocol.mjs`;

const DEFAULTS = `/** The defaults of fields that older traces do not have, by kind of event. */
export const DEFAULTS: Record<string, Record<string, unknown>> = `;

async function generate() {
  const { protocol, $schema, $defs, ...event } = JSON.parse(await readFile(new URL('schema.json', folder), 'utf8'));
  const anyOf = ['Event', 'Command', 'Answer'].map((name) => ({ $ref: `#/$defs/${name}` }));
  const schema = { $schema, title: 'Message', anyOf, $defs: { ...$defs, Event: event } };
  const defaults = Object.values($defs).flatMap(({ properties = {} }) => {
    const given = Object.entries(properties).filter(([, field]) => 'default' in field);
    if (!properties.kind || given.length === 0) return [];
    return [[properties.kind.enum[0], Object.fromEntries(given.map(([name, field]) => [name, field.default]))]];
  });
  const types = await compile(schema, 'Message', {
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    bannerComment: `${BANNER}\n\nexport const PROTOCOL_VERSION = ${JSON.stringify(protocol)};\n\n${DEFAULTS}${JSON.stringify(Object.fromEntries(defaults))};\n`,
    style: { singleQuote: true, printWidth: 120 },
    unreachableDefinitions: true,
  });
  return types.replace(/\n{3,}/g, '\n\n');
}

async function current() {
  return readFile(target, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

const types = await generate();
if (process.argv.includes('--check')) {
  if (types !== (await current())) {
    console.error(
      'web/src/protocol/events.ts is stale: schema.json gives something else. ' +
        'In the folder web, run `node scripts/generate-protocol.mjs` and commit the result.',
    );
    process.exit(1);
  }
} else {
  await writeFile(target, types);
}
