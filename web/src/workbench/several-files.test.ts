// Protects: Run says why it cannot run a program of several files, and runs one that needs no other file.

import { expect, it } from 'vitest';
import { EventLog } from '../store/log';
import { whyNotHere } from './several-files';

const log = new EventLog();
const place = { line: null } as const;
log.append([
  {
    kind: 'program_started',
    seq: 0,
    ...place,
    filename: '/home/me/train.py',
    source: '',
    seed: 0,
    versions: {},
    protocol: 1,
  },
  { kind: 'source_added', seq: 1, ...place, file: 1, filename: 'layers.py', source: '' },
  { kind: 'source_added', seq: 2, ...place, file: 2, filename: 'parts/model.py', source: '' },
]);

it.each([
  ['from layers import Net\n', 'imports layers.py,'],
  ['import torch\nif True:\n    import parts.model as m\n', 'imports parts/model.py,'],
  ['import layers\nfrom parts import model\n', 'imports layers.py, parts/model.py,'],
])('%j', (source, said) => {
  const why = whyNotHere(source, log);
  expect(why).toContain(said);
  expect(why).toContain('backscope debug --page train.py');
});

it('leaves a program alone that imports none of them', () => {
  expect(whyNotHere('import torch\n# import layers\nlayers = 1\n', log)).toBeNull();
});
