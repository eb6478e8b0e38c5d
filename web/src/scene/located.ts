// The place of a thing on the stage at a moment, and its name there.

import type { Frame } from '../layout/frame';
import type { Item } from '../layout/graph';
import { type Rect, union } from '../layout/rect';
import { groundAt } from './frames';
import type { Trail } from './parts/parts';
import { numberOf, shapesOf, wholeOf } from './parts/shape';
import type { Scene } from './scene';
import { isSame, type Target, targetOf } from './target';

/**
 * `ends`: what an edge joins, first the node that the gradient came from.  `isGround`: it is a module, a function, a loop or a
 * round, and the rectangle is the ground of its ops.
 */
export type Located = {
  target: Target;
  name: string;
  rect: Rect;
  ends?: readonly [Located, Located];
  isGround?: boolean;
};

/** Where a target is, with its texts; null where it is not on the stage at this moment. */
export function locate(target: Target, scene: Scene): Located | null {
  const { layout, state } = scene;
  switch (target.type) {
    case 'tensor':
      return locateItem(itemOfTensor(target.tensor, scene), scene, target);
    case 'node':
    case 'saved':
      return locateItem(layout.itemOfNode(target.node), scene, target);
    case 'op':
      return locateItem(
        layout.items.find(({ event, kind }) => kind === 'op' && event?.seq === target.seq) ?? null,
        scene,
        target,
      );
    case 'edge': {
      const link = layout.linkOf(target.node, target.inputNr);
      const to = locateItem(link?.to ?? null, scene, target);
      const from = locateItem(link?.from ?? null, scene);
      if (!link || !to || !from) return null;
      // What belongs to one of its ends alone, as a chip, is no part of it.
      const own = shapesOf(scene.part(link.to))[0]!.rect;
      const other = shapesOf(scene.part(link.from))[0]!.rect;
      const number = numberOf(scene.edge(link));
      const both = union(own, other);
      const ends = [
        { ...to, target: scene.part(link.to).target, rect: own },
        { ...from, rect: other },
      ] as const;
      return { ...to, rect: number ? union(both, number) : both, ends };
    }
    default: {
      const frames = framesOf(target, scene).filter((frame) => frame.seq <= state.seq);
      const rect = frames.reduce<Rect | null>((all, frame) => union(all, groundAt(frame, state.seq)), null);
      return rect && { target, name: frames[0]!.name, rect, isGround: true };
    }
  }
}

/** Where an item is, as itself or for another target; null where it has not come yet. */
export function locateItem(item: Item | null, scene: Scene, target?: Target): Located | null {
  if (!item || item.chunk < 0 || item.seq > scene.state.seq) return null;
  const part = scene.part(item);
  const name = part.kind === 'card' ? part.name : (part.outputs[0]?.name ?? (item.nodeName || part.symbol));
  return { target: target ?? part.target, name, rect: wholeOf(shapesOf(part)) };
}

/** Where the things are that the way of an element leads through, in its order. */
export function locateTrail(trail: Trail, scene: Scene): Located[] {
  const items = new Set<Item>();
  for (const key of trail.edges.keys()) {
    const [node, inputNr] = key.split('/').map(Number);
    const link = scene.layout.linkOf(node!, inputNr!);
    if (!link) continue;
    items.add(link.from);
    items.add(link.to);
  }
  return [...items].flatMap((item) => locateItem(item, scene) ?? []);
}

/** Where a tensor is shown, else what was computed from it, else a tensor whose memory it shares, as `.data` of a tensor does. */
function itemOfTensor(tensor: number, scene: Scene): Item | null {
  return ownItemOf(tensor, scene) ?? itemMadeOf(tensor, scene) ?? itemSharing(tensor, scene);
}

/** The last card of a leaf, else the op that a tensor comes from. */
function ownItemOf(tensor: number, { layout, state }: Scene): Item | null {
  const card = layout.cardsOf(tensor).findLast((one) => one.kind !== 'again' && one.seq <= state.seq);
  return card ?? layout.itemOfTensor(tensor);
}

function itemSharing(tensor: number, scene: Scene): Item | null {
  const { history } = scene.state;
  const storage = history.tensors.get(tensor)?.storage;
  for (const other of storage === undefined ? [] : history.sharing(storage)) {
    const item = ownItemOf(other.tensor, scene);
    if (item && item.seq <= scene.state.seq) return item;
  }
  return null;
}

/** The first item that shows a tensor computed from another one, directly or by way of tensors that are not shown either. */
function itemMadeOf(tensor: number, { layout, state }: Scene): Item | null {
  const born = state.history.tensors.get(tensor)?.born ?? state.seq;
  const made = new Set([tensor]);
  for (const event of layout.log.of(['op_applied'], born, state.seq + 1)) {
    if (!event.inputs.some((input) => input.tensor !== null && made.has(input.tensor))) continue;
    for (const { tensor: output } of event.outputs) {
      const item = layout.cardsOf(output)[0] ?? layout.itemOfTensor(output);
      if (item) return item;
      made.add(output);
    }
  }
  return null;
}

function framesOf(target: Target, { layout }: Scene): Frame[] {
  const frames: Frame[] = [];
  for (const { frames: all } of layout.chunks) {
    frames.push(...all.filter(({ place }) => isSame(targetOf(place), target)));
  }
  return frames;
}
