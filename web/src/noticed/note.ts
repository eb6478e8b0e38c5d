// The kinds of notes on a run: facts of its log that are often mistakes, each with the step that shows it.

type Found = {
  /** The event that shows it. */
  seq: number;
  /** The event from which on it is known. */
  known: number;
  line: number | null;
  /** The leaves or values that it is about. */
  tensors: readonly number[];
  nodes?: readonly number[];
};

/** An update of parameters: step `number` of an optimizer, or, where that is null, of the program's own code. */
export type Update = { optimizer: string | null; number: number };

/** Two updates used one gradient, because it was not cleared between them and the next pass added to it. */
export type NotCleared = Found & { kind: 'notCleared'; names: readonly string[]; from: Update; to: Update };

/** The op, or `.data`, that took values off the tape on their way from a leaf; `tensor` is what it made. */
export type Cut = {
  how: 'detach' | 'data' | 'no_grad' | 'inference' | 'op';
  op: string;
  seq: number;
  line: number | null;
  tensor: number;
};

/** Why no pass reached a leaf: the way is cut, no op used it, or no loss depends on it; null for an unknown cause. */
export type Cause = Cut | 'unused' | 'apart' | null;

/** No pass reached some leaves, for one cause. */
export type NotReached = Found & { kind: 'notReached'; names: readonly string[]; cause: Cause };

/** The place where the way to a leaf is cut; null where another cause keeps passes from it. */
export function cutOf(cause: Cause): Cut | null {
  return typeof cause === 'string' ? null : cause;
}

/** Why a step of an optimizer did nothing: a rate of 0, no pass before, emptied gradients, no gradient since the last step. */
export type Idle =
  | { because: 'rate' }
  | { because: 'early' }
  | { because: 'cleared'; line: number | null }
  | { because: 'used' };

/** Some of an optimizer's `of` steps changed no parameter. */
export type NoEffect = Found & {
  kind: 'noEffect';
  optimizer: string;
  numbers: readonly number[];
  of: number;
  idle: Idle;
};

/** The first value that is not finite; `name` is the variable that holds it, `by` the op, node or optimizer that made it. */
export type Onset = { what: 'NaN' | 'Infinity'; name: string | null } & (
  | { in: 'value'; by: string | null }
  | { in: 'gradient'; by: string }
  | { in: 'update'; by: string; number: number }
);

/** NaN or infinity came from finite numbers. */
export type NotFinite = Found & { kind: 'notFinite'; onset: Onset };

/** One fact about a finished run. */
export type Note = NotCleared | NotReached | NoEffect | NotFinite;

/** Returns the tensors and nodes that the stage lights up for a note: its own, and the cut in the way to them. */
export function litBy(note: Note): { tensors: ReadonlySet<number>; nodes: ReadonlySet<number> } {
  const cut = note.kind === 'notReached' ? cutOf(note.cause) : null;
  return { tensors: new Set([...note.tensors, ...(cut ? [cut.tensor] : [])]), nodes: new Set(note.nodes) };
}
