// Each switch over kinds of events that has a case for all others has one for every kind that it should know.

import { describe, expect, it } from 'vitest';
import type { Event } from './protocol/events';
import schema from './protocol/schema.json';
import { STEPS } from './protocol/steps';

type Kind = Event['kind'];

const SOURCES = import.meta.glob<string>(['./**/*.ts', '!./**/*.test.ts'], {
  eager: true,
  query: '?raw',
  import: 'default',
});

const FIELDS = Object.entries(schema.discriminator.mapping).map(([kind, at]) => {
  const { properties } = schema.$defs[at.slice(at.lastIndexOf('/') + 1) as keyof typeof schema.$defs] as {
    properties: object;
  };
  return [kind as Kind, Object.keys(properties)] as const;
});
const having = (field: string) => FIELDS.filter(([, fields]) => fields.includes(field)).map(([kind]) => kind);
const makesStep: readonly Kind[] = [...STEPS.begins, ...STEPS.begins_between_nodes, ...STEPS.by_rule];
const ofTensor = having('tensor');
const ofNode = having('node');
const ofBoth = [...new Set([...ofTensor, ...ofNode])];
const among = (kinds: readonly Kind[], others: readonly Kind[]) => kinds.filter((kind) => others.includes(kind));

// Which kinds a function should have a case for, and which of them need none there.
const SWITCHES: readonly [
  file: string,
  called: string,
  what: string,
  kinds: readonly Kind[],
  without: readonly Kind[],
][] = [
  ['timeline/moments.ts', 'titleOf', 'the title of a step', makesStep, []],
  ['timeline/moments.ts', 'nodeOf', 'the node of a step', among(makesStep, ofNode), ['saved_tensor_unpacked']],
  [
    'facts/mentions.ts',
    'mentioned',
    'what an event is about',
    ofBoth,
    ['error_raised', 'paused', 'recomputation_started'],
  ],
  [
    'facts/tensor-facts.ts',
    'apply',
    'what it changes of a tensor',
    ofTensor,
    ['hook_ran', 'node_created', 'tensor_kept'],
  ],
  [
    'facts/node-facts.ts',
    'apply',
    'what it changes of a node',
    ofNode,
    // What begins a node is in `beginning`.
    [
      'node_created',
      'op_applied',
      'graph_rebased',
      'gradient_captured',
      'error_raised',
      'paused',
      'recomputation_started',
    ],
  ],
  [
    'facts/actor.ts',
    'actorOf',
    'what acts in a step',
    makesStep,
    [
      ...(['output_printed', 'warning_raised', 'program_finished', 'backward_finished', 'optimizer_stepped'] as const),
      ...(['checkpoint_entered', 'recomputation_started', 'recomputation_finished'] as const),
      ...(['gradient_captured', 'module_hook_registered'] as const),
    ],
  ],
  [
    'scene/notes/step-effects.ts',
    'effectsOf',
    'what moves on the stage',
    makesStep,
    [
      ...(['output_printed', 'warning_raised', 'program_finished', 'backward_finished', 'value_changed'] as const),
      ...(['checkpoint_entered', 'module_hook_registered'] as const),
    ],
  ],
  [
    'compare/compared-steps.ts',
    'stepsOf',
    'what is compared',
    makesStep,
    [
      // What comes of these is compared, as ops and as gradients.
      ...(['tensor_mutated', 'value_changed', 'tangent_computed', 'node_started', 'backward_finished'] as const),
      ...(['hook_registered', 'module_hook_registered', 'hook_removed', 'saved_tensor_unpacked'] as const),
      ...(['checkpoint_entered', 'recomputation_started', 'recomputation_finished'] as const),
    ],
  ],
  ['table/row.ts', 'targetOf', 'what a row is about', among(makesStep, ofTensor), []],
];

/** The body of a function of a file. */
function bodyOf(file: string, called: string): string {
  const source = SOURCES[`./${file}`] ?? '';
  const from = source.search(new RegExp(`\\bfunction\\*? ${called}\\(`));
  return from < 0 ? '' : source.slice(from, source.indexOf('\n}\n', from));
}

describe.each(SWITCHES)('%s: %s, %s', (file, called, _what, kinds, without) => {
  const body = bodyOf(file, called);
  const known = new Set(
    [...body.matchAll(/case '(\w+)'|kind === '(\w+)'/g)].map(([, kind, compared]) => kind ?? compared),
  );

  it('has a case for each kind, or the kind is named here among those that need none', () => {
    expect(body).not.toBe('');
    expect(kinds.filter((kind) => !known.has(kind) && !without.includes(kind))).toEqual([]);
  });

  it('has none for those that are named here', () => {
    expect(without.filter((kind) => known.has(kind) || !kinds.includes(kind))).toEqual([]);
  });
});
