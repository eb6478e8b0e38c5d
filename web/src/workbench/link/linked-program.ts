// The program that a fragment of the address leads to: the one in it, an example, or else the first example.

import type { LinkedBreakpoint } from '../../debugger/breakpoint';
import * as say from '../../messages/page/app';
import type { Catalogue } from '../catalogue.svelte';
import { type LinkedMoment, NO_MOMENT, readLink } from './link';

export type LinkedProgram = {
  link: LinkedMoment;
  source: string;
  /** The name of the example that it is; null for a program of the link's own. */
  example: string | null;
  breakpoints: LinkedBreakpoint[];
  /** The error of the link; null where it has none. */
  problem: unknown;
};

/** Reads a fragment; null where it has no program and there are no examples. */
export async function readLinkedProgram(fragment: string, catalogue: Catalogue): Promise<LinkedProgram | null> {
  let link = NO_MOMENT;
  let problem: unknown = null;
  try {
    link = await readLink(fragment);
  } catch (error) {
    problem = error;
  }
  const { program } = link;
  const breakpoints = link.breakpoints.length > 0 ? await read(link.breakpoints) : [];
  if (program && 'source' in program) return { link, source: program.source, example: null, breakpoints, problem };
  const named = catalogue.example(program?.example);
  const example = named ?? catalogue.examples[0];
  if (!example) return null;
  if (program && !named) problem = say.noSuchExample(program.example);
  return { link, source: example.source, example: example.name, breakpoints, problem };
}

async function read(texts: readonly string[]): Promise<LinkedBreakpoint[]> {
  const { readBreakpoint } = await import('../../debugger/linked-breakpoint');
  return texts.map(readBreakpoint).filter((one) => one !== null);
}
