// Protects: a link without a program, with an unknown example, or a damaged one, opens the first example and says why.

import { describe, expect, it } from 'vitest';
import { Catalogue } from '../catalogue.svelte';
import { NO_MOMENT, writeLink } from './link';
import { readLinkedProgram } from './linked-program';

function catalogueOf(...names: string[]): Catalogue {
  const catalogue = new Catalogue();
  catalogue.examples = names.map((name) => ({ name, title: name, summary: '', source: `# ${name}` }));
  return catalogue;
}

const read = (fragment: string) => readLinkedProgram(fragment, catalogueOf('first', 'second'));

describe('the program of a fragment', () => {
  it('is the one in it, or the example that it names', async () => {
    const fragment = await writeLink({ ...NO_MOMENT, program: { source: 'x = 1' }, at: 3 });
    expect(await read(fragment)).toMatchObject({ source: 'x = 1', example: null, problem: null, link: { at: 3 } });
    expect(await read('#example=second')).toMatchObject({ source: '# second', example: 'second', problem: null });
  });

  it('is the first example without one, and where it cannot be read, with what is wrong', async () => {
    expect(await read('')).toMatchObject({ source: '# first', example: 'first', problem: null });
    expect(await read('example=third&step=2')).toMatchObject({ source: '# first', link: { at: 1 } });
    expect((await read('example=third'))?.problem).toContain('third');
    const damaged = await read('code=%%%');
    expect(damaged).toMatchObject({ source: '# first', example: 'first', link: NO_MOMENT });
    expect(damaged?.problem).toBeInstanceOf(Error);
  });

  it('is none where there are no examples', async () => {
    expect(await readLinkedProgram('', catalogueOf())).toBeNull();
  });
});
