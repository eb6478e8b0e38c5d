// Areas: a tree of items and links that are together. One that cannot be seen is skipped with all that is in it.

import type { Frame } from './frame';
import type { Item, Link } from './graph';
import type { Group, Grouping } from './group/group';
import type { Rect } from './rect';

/** A chunk, a place of the program, or a stretch of many ops, with what is directly in it. */
export type Area = {
  rect: Rect;
  /** The ground that it is. */
  frame: Frame | null;
  /** The event from which on something of it is seen. */
  seq: number;
  items: Item[];
  links: Link[];
  areas: Area[];
  /** How many ops it holds with all that is in it. */
  ops: number;
  /** Its leaves that a gradient is wanted for, with those of all that is in it. */
  wanted: Item[];
};

/** The areas of a chunk that is laid out; places are relative to the chunk's corner.  The work may rest wherever it yields. */
export function* areaOf(grouping: Grouping): Generator<void, Area> {
  const areas = new Map<Group, Area>();
  for (const group of grouping.groups.toReversed()) {
    const inner = group.members.flatMap((member) => (member.group ? [areas.get(member.group)!] : []));
    const items = group.members.flatMap(({ item }) => (item ? [item, ...item.sides] : []));
    areas.set(group, {
      rect: group.frame?.rect ?? { x: group.x, y: group.y, width: group.width, height: group.height },
      frame: group.frame,
      seq: Math.min(...items.map(({ seq }) => seq), ...inner.map(({ seq }) => seq)),
      items,
      links: [
        ...group.wires.flatMap(({ link, from, to }) => (from && to ? [link] : [])),
        ...items.flatMap(({ inputs, sides }) =>
          sides.length > 0 ? inputs.filter(({ from }) => sides.includes(from)) : [],
        ),
      ],
      areas: inner,
      ops: items.filter(({ kind }) => kind === 'op').length + inner.reduce((sum, { ops }) => sum + ops, 0),
      wanted: [
        ...items.filter((item) => item.kind === 'leaf' && item.requiresGrad),
        ...inner.flatMap((one) => one.wanted),
      ],
    });
    yield;
  }
  return areas.get(grouping.root)!;
}

/** Moves an area with all that is in it, but for what its frame knows already. */
export function shift(area: Area, x: number, y: number): void {
  if (!area.frame) {
    area.rect.x += x;
    area.rect.y += y;
  }
  for (const inner of area.areas) shift(inner, x, y);
}
