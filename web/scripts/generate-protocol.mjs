// Writes src/protocol/events.ts and lessons.ts from the schemas beside them; with --check it only says whether they are
// current. The schemas are what Python prints: `python -m backscope.protocol.schema > src/protocol/schema.json` and
// `python -m backscope_server.lessons.schema > src/protocol/lessons.json`.

import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';

const folder = new URL('../src/protocol/', import.meta.url);

const EVENTS = `// The protocol, one interface for each kind of event, command and answer, and for each struct in them.
//
// Generated from engine/backscope/protocol/events/ and commands.py; do not edit. After a change there, in the folder web:
//     python -m backscope.protocol.schema > src/protocol/schema.json && node scripts/generate-protocol.mjs`;

const LESSONS = `// Lessons as the server gives them, one interface for each part of a lesson.
//
// Generated from server/backscope_server/lessons/; do not edit. After a change there, in the folder web:
//     python -m backscope_server.lessons.schema > src/protocol/lessons.json && node scripts/generate-protocol.mjs`;

const DEFAULTS = `/** The defaults of fields that older traces do not have, by kind of event. */
export const DEFAULTS: Record<string, Record<string, unknown>> = `;

async function schemaIn(name) {
  return JSON.parse(await readFile(new URL(name, folder), 'utf8'));
}

async function typesOf(schema, title, bannerComment) {
  const types = await compile(schema, title, {
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    bannerComment,
    style: { singleQuote: true, printWidth: 120 },
    unreachableDefinitions: true,
  });
  return types.replace(/\n{3,}/g, '\n\n');
}

async function events() {
  const { protocol, $schema, $defs, ...event } = await schemaIn('schema.json');
  const anyOf = ['Event', 'Command', 'Answer'].map((name) => ({ $ref: `#/$defs/${name}` }));
  const schema = { $schema, title: 'Message', anyOf, $defs: { ...$defs, Event: event } };
  const defaults = Object.values($defs).flatMap(({ properties = {} }) => {
    const given = Object.entries(properties).filter(([, field]) => 'default' in field);
    if (!properties.kind || given.length === 0) return [];
    return [[properties.kind.enum[0], Object.fromEntries(given.map(([name, field]) => [name, field.default]))]];
  });
  const banner = `${EVENTS}\n\nexport const PROTOCOL_VERSION = ${JSON.stringify(protocol)};\n\n${DEFAULTS}${JSON.stringify(Object.fromEntries(defaults))};\n`;
  return typesOf(schema, 'Message', banner);
}

async function lessons() {
  const { $schema, $defs } = await schemaIn('lessons.json');
  const anyOf = ['Lesson', 'LessonTitle', 'LessonDraft', 'Verdict', 'NamedMoment'].map((name) => ({
    $ref: `#/$defs/${name}`,
  }));
  return typesOf({ $schema, title: 'LessonAnswer', anyOf, $defs }, 'LessonAnswer', LESSONS);
}

async function current(name) {
  return readFile(new URL(name, folder), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

for (const [name, generate] of [
  ['events.ts', events],
  ['lessons.ts', lessons],
]) {
  const types = await generate();
  if (!process.argv.includes('--check')) {
    await writeFile(new URL(name, folder), types);
  } else if (types !== (await current(name))) {
    console.error(
      `web/src/protocol/${name} is stale: its schema gives something else. ` +
        'In the folder web, run `node scripts/generate-protocol.mjs` and commit the result.',
    );
    process.exitCode = 1;
  }
}
