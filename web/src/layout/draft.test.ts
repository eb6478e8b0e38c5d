// Protects: in a round of a loop, what comes from before it is shown again near each of its users, and by its own name.

import { expect, it } from 'vitest';
import type { Event, OpApplied } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { MirrorLayout } from './mirror';
import { model } from './rehearsal';

it('shows what a round has from outside near each of its users', () => {
  const log = new EventLog();
  log.append(model(6));
  const layout = new MirrorLayout(log);
  const again = layout.items.filter(({ kind }) => kind === 'again');
  expect(again.length).toBeGreaterThan(30);
  const inRounds = layout.links.filter(({ from, to }) => from.kind === 'again' && to.place?.kind === 'round');
  const lengths = inRounds.map(({ points }) => points.at(-1)! - points[1]!);
  expect(Math.max(...lengths)).toBeLessThan(300);
});

it.each([...goldens(), ['a model', model(6)] as const])(
  '%s: what is shown again is what its users take',
  (_, events) => {
    const log = new EventLog();
    log.append([...events]);
    const layout = new MirrorLayout(log);
    const wrong = layout.links.flatMap(({ from, to, value }) => {
      if (from.kind !== 'again' || !value || !to.event) return [];
      return to.event.inputs.some(({ tensor }) => tensor === from.tensor) ? [] : [[from.tensor, to.event.seq]];
    });
    expect(wrong).toEqual([]);
  },
);

it('leaves a parameter beside its op when something outside of the module copies it', () => {
  const [, events] = goldens().find(([name]) => name === '35_gan_step')!;
  const forward = events.slice(
    0,
    events.findIndex(({ kind }) => kind === 'backward_started'),
  );
  const first = forward.find((event) => event.kind === 'op_applied') as OpApplied;
  const parameters = new Set(
    forward.flatMap((event) => (event.kind === 'tensor_created' && event.info.requires_grad ? event.info.tensor : [])),
  );
  const hosted = (events: readonly Event[]) => {
    const log = new EventLog();
    log.append([...events]);
    const layout = new MirrorLayout(log);
    layout.commit();
    return layout.items.filter(({ tensor, host }) => parameters.has(tensor) && host !== null).map(({ text }) => text);
  };
  const copies = [...parameters].map((tensor, i): OpApplied => {
    const output = { ...first.outputs[0]!, tensor: 1e6 + i, storage: 2e6 + i, requires_grad: false };
    const inputs = [{ name: 'self', tensor, text: null }];
    const seq = forward.length + i;
    return { ...first, seq, op: 'clone', inputs, outputs: [output], node: null, module_path: null };
  });
  expect(hosted(forward)).toEqual(['generator.bias', 'discriminator.bias']);
  expect(hosted([...forward, ...copies])).toEqual(hosted(forward));
});
