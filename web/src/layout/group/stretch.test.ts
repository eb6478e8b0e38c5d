// Protects: a group of too many members is cut where a round or a statement ends, else into equal shares.

import { expect, it } from 'vitest';
import type { Place } from '../program/place';
import type { Member } from './group';
import { stretchEnd } from './stretch';

function op(line: number, round: number | null = null): Member {
  const place = round === null ? null : rounds[round]!;
  return { item: { kind: 'op', place, event: { line } }, group: null } as unknown as Member;
}

const rounds = Array.from({ length: 20 }, () => ({ kind: 'round', outer: null }) as unknown as Place);

it('takes equal shares of one line', () => {
  const members = Array.from({ length: 25 }, () => op(1));
  expect([0, 9, 18].map((begin) => stretchEnd(members, begin, 10))).toEqual([9, 17, 25]);
});

it('ends with a statement near the share', () => {
  const members = [...Array.from({ length: 7 }, () => op(1)), ...Array.from({ length: 11 }, () => op(2))];
  expect(stretchEnd(members, 0, 10)).toBe(7);
});

it('ends with a round rather than with a line', () => {
  const members = Array.from({ length: 18 }, (_, i) => op(i % 4, Math.floor(i / 4)));
  expect(stretchEnd(members, 0, 10)).toBe(8);
});
