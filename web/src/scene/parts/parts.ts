// The types of the parts of a scene: cards, pills with their chips, and edges, as meanings and geometry.

import type { Area } from '../../layout/area';
import type { Frame } from '../../layout/frame';
import type { Item, Link } from '../../layout/graph';
import type { RoundPlace } from '../../layout/program/place';
import type { Rect } from '../../layout/rect';
import type { OpApplied } from '../../protocol/events';
import type { Inflow } from '../box/inflow';
import type { Dots } from '../dots';
import type { Heat } from '../fold/heat';
import type { Mark } from '../fold/mark';
import type { Target } from '../target';

/** What is said about a part besides its content. */
export type Look = {
  selected: boolean;
  hovered: boolean;
  /** It acts in this step. */
  current: boolean;
  /** The debugger holds the program before or after this node. */
  paused: boolean;
  /** A breakpoint is at it. */
  stops: boolean;
  /** The error was raised here. */
  failed: boolean;
  /** The explanation of an error names it. */
  blamed: boolean;
  /** The answer that is shown is about it. */
  lit: boolean;
  /** It belongs to the graph of a backward pass. */
  second: boolean;
};

/** A text beside a line; `bad` holds a NaN or an infinity. */
export type Label = { text: string; bad: boolean };

/**
 * The way of an element: what edges carry of it, by `node/inputNr`, and what arrived, by `node/outputNr`; with the values
 * if `forward`, else with the gradients.
 */
export type Trail = { forward: boolean; edges: ReadonlyMap<string, Label>; outputs: ReadonlyMap<string, Label> };

export type GradStack = {
  total: Label | null;
  /** How many contributions lie on the stack. */
  layers: number;
  /** The contributions as a sum, where that fits. */
  sum: string | null;
};

/** A hook where it sits.  `after` is what it gave back; `text` what it saw, `gone` when it was taken off. */
export type HookPart = {
  rect: Rect;
  /** The line that it sits on. */
  laneX: number;
  side: 'value' | 'gradient';
  where: string;
  name: string;
  before: string | null;
  after: string | null;
  state: 'waiting' | 'ran' | 'gone';
  current: boolean;
};

export type VersionPart = { text: string; now: boolean };

export type TangentPart = Label & { now: boolean };

export type CardPart = {
  kind: 'card';
  item: Item;
  rect: Rect;
  name: string;
  value: Label;
  /** An optimizer moves it in this step, and `value` says from where to where. */
  moved: boolean;
  /** Null for a tensor whose gradient nothing needs. */
  grad: GradStack | null;
  hooks: HookPart[];
  /** The version of its storage, where it was changed in place; `now` in this step. */
  version: VersionPart | null;
  tangent: TangentPart | null;
  look: Look;
  target: Target;
};

export type ChipPart = {
  rect: Rect;
  /** Chips of one storage hold the same memory. */
  storage: number;
  text: string;
  live: boolean;
  /** The versions at saving and now, where they differ. */
  stale: { saved: number; now: number } | null;
  /** What a pack hook keeps instead of the tensor, and what came back. */
  packed: string | null;
  unpacked: string | null;
  /** A checkpoint does not keep it: there is nothing to see until it is computed again. */
  absent: boolean;
  /** It was packed or unpacked in this step. */
  current: boolean;
  /** The error is about this slot. */
  failed: boolean;
  look: Look;
  target: Target;
};

export type OutputPart = {
  /** How far two parallel lines that leave it are from its place. */
  spread: number;
  x: number;
  y: number;
  name: string | null;
  value: Label;
  /** The gradient that has arrived for this output, and the middle of its text. */
  gradient: Label | null;
  gradientY: number;
  version: VersionPart | null;
  tangent: TangentPart | null;
  /** What `.grad` keeps of it by retain_grad. */
  kept: boolean;
  target: Target;
};

export type NodeLook = 'untracked' | 'idle' | 'ready' | 'running' | 'done';

export type PillPart = {
  kind: 'pill';
  item: Item;
  rect: Rect;
  spine: number;
  symbol: string;
  /** The name of the node, once a backward pass has begun. */
  name: string | null;
  status: NodeLook;
  /** A checkpoint computes it again in this step. */
  rerun: boolean;
  /** Whether its result carries a tangent. */
  tangent: boolean;
  /** The node that is its result's grad_fn now, because of a change in place. */
  replaced: string | null;
  hooks: HookPart[];
  chips: ChipPart[];
  outputs: OutputPart[];
  /** The gradient that a backward pass begins with here. */
  seed: Label | null;
  /** Whether its results leave upwards. */
  up: boolean;
  look: Look;
  target: Target;
};

export type EdgePart = {
  link: Link;
  up: boolean;
  /** Whether gradients can take it. */
  tracked: boolean;
  /** Whether the value brings its tangent along. */
  tangent: boolean;
  /** The gradient that it carried. */
  gradient: Label | null;
  /** Scissors lie on it: its value passes, and no gradient comes back. */
  cut: boolean;
  /** What it carried of an element whose way back is shown. */
  trail: (Label & { forward: boolean }) | null;
  /** It carried its gradient, or its value, in this step. */
  sending: boolean;
  bringing: boolean;
  look: Look;
  target: Target | null;
};

/** The ops that ran under a checkpoint, as one or several areas with a text beside the first op. */
export type RegionPart = { areas: Rect[]; label: string; labelX: number; labelY: number; running: boolean };

/** The ground of one call of a module, as far as it has come; `shade` counts the grounds that it lies on. */
export type FramePart = {
  frame: Frame;
  rect: Rect;
  shade: number;
  /** What is wrong with something in it. */
  mark: Mark | null;
  /** An op of it runs in this step. */
  current: boolean;
  selected: boolean;
  hovered: boolean;
  target: Target;
};

/** A module, or a stretch of many ops, that is too small to be looked into. */
export type BlockPart = {
  area: Area;
  /** The rounds of a training loop that it stands for; empty for all else. */
  rounds: readonly RoundPlace[];
  name: string;
  /** What it goes by where there is no room for its name. */
  short: string;
  detail: string;
  /** The shape of what leaves it; empty where that is not one. */
  shape: string;
  shade: number;
  /** The norm of the gradients of its leaves; null where none has arrived. */
  heat: Heat | null;
  /** Something in it failed, or is not a number. */
  mark: Mark | null;
  /** How it goes on from an earlier chunk; null where it is not a whole one, or begins anew. */
  inflow: Inflow | null;
  /** Whether it belongs to the graph of a backward pass. */
  second: boolean;
  /** How many hits of a search it holds; null while nothing is looked for. */
  found: number | null;
  current: boolean;
  selected: boolean;
  hovered: boolean;
  rect: Rect;
  target: Target | null;
};

export type Tone = 'gradient' | 'saved' | 'error' | 'forward' | 'second';

/** From a place to another: x and y of both. */
export type Line = readonly [x0: number, y0: number, x1: number, y1: number];
/**
 * A few words beside what a step is about, with a line to it.  A sum has `lines`, each as far as it is known when the node wakes, when
 * it has what it saved, and as a whole; a `quiet` note is of less weight beside it.
 */
export type NotePart = {
  text: string;
  tone: Tone;
  about: Rect;
  rect: Rect;
  leader: Line;
  lines?: StepSum['lines'];
  /** The numbers that a sum is made of, from where they are. */
  brought?: readonly Brought[];
  quiet?: boolean;
};

export type Brought = { text: string; tone: 'gradient' | 'saved'; from: Rect };

/** What begins a line that goes on from the one before. */
export const ROW_ON = '  ';

/**
 * What the node that runs, or the op that is applied, computes, or what becomes of leaves: lines of text, each as far as it is known
 * when the node wakes, when it has what it saved, and as a whole.  `narrow` is the same in shorter lines.
 */
export type StepSum = SumLines & ({ node: number } | { op: OpApplied } | { leaves: readonly LeafLines[] });

export type SumLines = { lines: readonly (readonly string[])[]; narrow: readonly (readonly string[])[] };

/** The sum of one of the leaves that a step changes, which goes by a name. */
export type LeafLines = SumLines & { tensor: number; name: string; tone: 'gradient' | 'forward' | 'error' };

/** Everything that may be seen in some rectangle. */
export type Parts = {
  cards: CardPart[];
  pills: PillPart[];
  edges: EdgePart[];
  regions: RegionPart[];
  frames: FramePart[];
  blocks: BlockPart[];
  /** What is too small for a shape. */
  dots: Dots;
};

/** What one step did, for its animation; parts by their identities in the layout. */
export type StepEffects = {
  /** Items that appear. */
  appearing: ReadonlySet<number>;
  /** Links along which a value comes. */
  bringing: ReadonlySet<number>;
  /** The item that wakes. */
  waking: number | null;
  /** Whether the node that runs reads what it saved. */
  taking: boolean;
  /** Links along which a gradient travels back. */
  sending: ReadonlySet<number>;
  /** Cards on which a gradient lands. */
  landing: ReadonlySet<number>;
  /** Cards whose value or `.grad` is changed otherwise. */
  changing: ReadonlySet<number>;
  /** Chips that are emptied, as `node/slot`. */
  freeing: ReadonlySet<string>;
  /** Items that a seed enters. */
  seeding: ReadonlySet<number>;
  /** Items with a hook, a saved tensor or a tangent that this step is about. */
  touching: ReadonlySet<number>;
};
