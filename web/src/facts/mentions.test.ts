import { describe, expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { logged } from '../store/logged';
import { Mentions } from './mentions';

const named = (seq: number, tensor: number, line: number | null = 1) =>
  ({ kind: 'tensor_named', seq, line, tensor, name: 'x' }) as Event;
const sent = (seq: number, node: number, to_node: number) =>
  ({ kind: 'gradient_sent', seq, line: null, node, to_node }) as Event;
const seqs = (events: readonly Event[]) => events.map(({ seq }) => seq);

describe('the events about a thing', () => {
  it('come in order, up to an event, for more things than there is room for at first', () => {
    const mentions = new Mentions(
      logged(Array.from({ length: 3000 }, (_, seq) => named(seq, seq % 1000, 1 + (seq % 2)))),
    );
    expect(seqs(mentions.ofTensor(7, 3000))).toEqual([7, 1007, 2007]);
    expect(seqs(mentions.ofTensor(7, 1007))).toEqual([7, 1007]);
    expect(seqs(mentions.ofTensor(7, 6))).toEqual([]);
    expect(seqs(mentions.ofTensor(1000, 3000))).toEqual([]);
    expect(mentions.ofLine(2, 3000)).toHaveLength(1500);
  });

  it('are there once where they are about it twice', () => {
    const mentions = new Mentions(logged([sent(0, 5, 5), sent(1, 5, 6)]));
    expect(seqs(mentions.ofNode(5, 1))).toEqual([0, 1]);
    expect(seqs(mentions.ofNode(6, 1))).toEqual([1]);
  });

  it('grow with the log', () => {
    const log = logged([named(0, 3)]);
    const mentions = new Mentions(log);
    expect(seqs(mentions.ofTensor(3, 9))).toEqual([0]);
    log.append([named(1, 3, null)]);
    expect(seqs(mentions.ofTensor(3, 9))).toEqual([0, 1]);
    expect(seqs(mentions.ofLine(1, 9))).toEqual([0]);
  });
});
