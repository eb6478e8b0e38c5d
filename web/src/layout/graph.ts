// The graph that is laid out: items (leaves, ops, tensors shown again) and the links by which values come and gradients go.

import type { OpApplied, SavedTensor } from '../protocol/events';
import type { HungHook } from '../timeline/hooks';
import type { Place } from './program/place';
import type { Rect } from './rect';

/** A constant is a tensor without a name whose gradient nothing needs. */
export type ItemKind = 'leaf' | 'constant' | 'again' | 'op';

/** A chip for a saved tensor, relative to its item's spine and top. */
export type Chip = { saved: SavedTensor; text: string; x: number; y: number; width: number };

/** A chip for a hook, relative to its item's spine and top; it is beside the line of the value or the gradient. */
export type HookChip = {
  hung: HungHook;
  side: 'value' | 'gradient';
  name: string;
  x: number;
  y: number;
  width: number;
};

/**
 * Where one of an item's tensors leaves it, as an offset from the spine; `spread` is how far its two parallel links are from there,
 * `chars` the room of its name and value, `drop` how far below them its gradient is.
 */
export type Output = { tensor: number; x: number; spread: number; uses: number; chars: number; drop: number };

/**
 * Something that is placed.  `x` is its spine, the line between its forward half on the left and its backward half on
 * the right; `left` and `right` are how far it reaches from there; `y` is its top.
 */
export type Item = {
  id: number;
  kind: ItemKind;
  /** The event from which on it is seen. */
  seq: number;
  /** The tensor of a leaf, or the first output of an op. */
  tensor: number;
  event: OpApplied | null;
  node: number | null;
  text: string;
  nodeName: string;
  chips: Chip[];
  hooks: HookChip[];
  outputs: Output[];
  inputs: Link[];
  x: number;
  y: number;
  left: number;
  right: number;
  height: number;
  /** Where the pill or card begins below `y`, and how far it reaches without chips and labels. */
  pillTop: number;
  pillLeft: number;
  pillRight: number;
  /** How far a pill reaches to the right before its node has a name on it: chips move aside when it grows. */
  pillNarrow: number;
  /** The checkpoint that it ran under. */
  checkpoint: Checkpoint | null;
  /** The innermost place of the program that it ran in. */
  place: Place | null;
  /** Why an op is not recorded; empty where it is, or where its inputs say it. */
  reason: string;
  /** How high the name, value and tangent of a leaf's card are. */
  body: number;
  /** Room for a tangent. */
  tangent: boolean;
  /** Room for a seed below an op whose result nothing has used. */
  seed: boolean;
  requiresGrad: boolean;
  /** What only this op uses, placed at its left at its height, and how far from its spine; empty for all else. */
  sides: Item[];
  sideReach: number;
  /** The op that it is placed beside. */
  host: Item | null;
  /** The chunk that it is placed in, -1 before, and its number among what is laid out with it. */
  chunk: number;
  number: number;
};

/** How the value of one input came, and where the gradient of that input goes back. */
export type Link = {
  id: number;
  from: Item;
  output: number;
  to: Item;
  /** Offset of the link's end from the receiver's spine. */
  port: number;
  /** Offset of its beginning from where its tensor leaves the producer, and of all of it from where it is laid out. */
  exit: number;
  shift: number;
  /** The node and number of the input whose gradient it carries; null where nothing is tracked. */
  node: number | null;
  inputNr: number;
  /** False for a link that only gradients take. */
  value: boolean;
  /** Whether the gradient's number is beside this link, because its receiver sums several or is a leaf. */
  labelled: boolean;
  /** Points x, y along the middle of the edge, from the producer to the consumer. */
  points: Float32Array;
  /** Room that the edge takes with the number beside it. */
  rect: Rect;
  labelX: number;
  labelY: number;
  /** Whether the number is at the left of the edge. */
  labelLeft: boolean;
  chunk: number;
};

/** One call of a checkpointed function and the ops of its forward pass; `again` for those that it computed again as a graph. */
export type Checkpoint = { checkpoint: number; function: string; items: Item[]; again: boolean };

/** A new item without a place. */
export function newItem(kind: ItemKind, seq: number, tensor: number): Item {
  return {
    id: -1,
    kind,
    seq,
    tensor,
    event: null,
    node: null,
    text: '',
    nodeName: '',
    chips: [],
    hooks: [],
    outputs: [{ tensor, x: 0, spread: 0, uses: 0, chars: 0, drop: 0 }],
    inputs: [],
    x: 0,
    y: 0,
    left: 0,
    right: 0,
    height: 0,
    pillTop: 0,
    pillLeft: 0,
    pillRight: 0,
    pillNarrow: 0,
    checkpoint: null,
    place: null,
    reason: '',
    body: 0,
    tangent: false,
    seed: false,
    requiresGrad: false,
    sides: [],
    sideReach: 0,
    host: null,
    chunk: -1,
    number: -1,
  };
}

/** A new link without a course; it counts as a use of the producer's output. */
export function link(from: Item, output: number, to: Item, node: number | null, inputNr: number, value: boolean): Link {
  const made: Link = {
    id: -1,
    from,
    output,
    to,
    port: 0,
    exit: 0,
    shift: 0,
    node,
    inputNr,
    value,
    labelled: false,
    points: new Float32Array(0),
    rect: { x: 0, y: 0, width: 0, height: 0 },
    labelX: 0,
    labelY: 0,
    labelLeft: false,
    chunk: -1,
  };
  from.outputs[output]!.uses += 1;
  to.inputs.push(made);
  return made;
}
