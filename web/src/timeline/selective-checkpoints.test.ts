// Protects: what a policy kept is given back where its op is applied again, also behind a checkpoint within.

import { expect, it } from 'vitest';
import type { CheckpointEntered, CheckpointLeft, OpApplied } from '../protocol/events';
import { SelectiveCheckpoints } from './selective-checkpoints';

const enter = (checkpoint: number, selective: boolean) => ({ checkpoint, selective }) as CheckpointEntered;
const leave = (checkpoint: number, kept: number[] = []) => ({ checkpoint, kept }) as unknown as CheckpointLeft;
const op = (seq: number, name: string, tensor: number) =>
  ({ seq, op: name, outputs: [{ tensor }] }) as unknown as OpApplied;

it('pairs the ops of a checkpoint around another one with those of the first time', () => {
  const found = new SelectiveCheckpoints();
  found.enter(enter(1, true));
  found.apply(op(2, 'exp', 10));
  found.enter(enter(3, false));
  found.apply(op(4, 'sin', 11));
  found.leave(leave(3));
  found.apply(op(5, 'cos', 12));
  found.leave(leave(1, [12]));
  found.repeat(1);
  found.apply(op(7, 'exp', 20));
  found.apply(op(8, 'sin', 21));
  found.apply(op(9, 'cos', 22));
  found.repeat(null);
  expect([...found.givenBack]).toEqual([9]);
});
