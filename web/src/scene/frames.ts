// The grounds of modules and loops at one moment: as far down as their ops have come, or as blocks where they are too small to be looked into.

import { counted } from '../format/number';
import type { Area } from '../layout/area';
import { FRAME_FOOTER, type Frame } from '../layout/frame';
import type { MirrorLayout } from '../layout/mirror';
import type { Chunk } from '../layout/placed';
import { isWithin, type RoundPlace } from '../layout/program/place';
import { type Rect, union } from '../layout/rect';
import * as say from '../messages/pictures';
import type { RunState } from '../timeline/state';
import { factsOf, type Span } from './box/facts';
import { inflowOf } from './box/inflow';
import { runShareOf, type Share, shareOf } from './box/share';
import { roundsOf } from './fold/folds';
import { heatIn } from './fold/heat';
import { type Mark, markIn } from './fold/mark';
import type { Found } from './found';
import type { BlockPart, FramePart } from './parts/parts';
import { passNames } from './pass-names';
import { isSame, type Target, targetOf } from './target';

type Pointed = { selection: Target | null; hover: Target | null; found?: Found | null };

/** The ground of a place that has begun; `running` is the innermost one in which something acts. */
export function framePart(
  frame: Frame,
  mark: Mark | null,
  state: RunState,
  pointed: Pointed,
  running: Frame | null,
): FramePart {
  const target = targetOf(frame.place);
  return {
    frame,
    rect: groundAt(frame, state.seq),
    shade: frame.depth,
    mark,
    current: running === frame,
    selected: isSame(target, pointed.selection),
    hovered: isSame(target, pointed.hover),
    target,
  };
}

/** An area as a block. */
export function blockOf(
  area: Area,
  chunk: Chunk,
  state: RunState,
  layout: MirrorLayout,
  pointed: Pointed,
  running: Frame | null = null,
): BlockPart {
  const { frame, ops } = area;
  const target = frame ? targetOf(frame.place) : null;
  const heat = heatIn(area, chunk, state, layout);
  return {
    area,
    rounds: [],
    ...nameOf(area, chunk, layout, state),
    detail: counted(ops, 'op'),
    shape: factsOf(area).shape,
    shade: frame?.depth ?? 0,
    inflow: area === chunk.area ? inflowOf(chunk, layout, state) : null,
    heat,
    mark: markIn(area, chunk, heat, state, layout),
    second: chunk.up,
    found: pointed.found?.count(area) ?? null,
    // A loop of several chunks is the same place in each.
    current: frame !== null && running?.chunk === frame.chunk && isWithin(running.place, frame.place),
    selected: target !== null && isSame(target, pointed.selection),
    hovered: target !== null && isSame(target, pointed.hover),
    rect: groundOf(area, state.seq),
    target,
  };
}

/** Returns the name of a block: its place; for a whole pass its round or number, if it has one; for ops without a place their rounds or lines. */
function nameOf(area: Area, chunk: Chunk, layout: MirrorLayout, state: RunState): { name: string; short: string } {
  const called = area.frame?.place.kind === 'round' ? onlyModule(area) : null;
  if (called) return { name: called.name, short: called.name.split('.').at(-1)! };
  if (area.frame)
    return (
      partOfLoop(area, state) ?? numbered(area.frame.name, area.frame.short, runShareOf(area, columnOf(chunk, layout)))
    );
  if (chunk.up) return NAMELESS;
  if (area === chunk.area && layout.columns.length > 1) {
    const round = roundsOf(layout).get(chunk)?.event.round;
    if (round !== undefined) return { name: say.round(round), short: String(round) };
    const column = layout.columns[chunk.column];
    const pass = column && passNames(layout, state.history).get(column);
    if (pass) return { name: pass.name, short: pass.short };
  }
  const { lines, called: span } = factsOf(area);
  const rounds = span && roundsBetween(span, state);
  if (rounds) return namedRounds(rounds);
  if (!lines) return NAMELESS;
  const short = say.linesFromTo(lines.first, lines.last);
  const share = shareOf(area, besideOf(area, chunk, layout));
  return numbered(say.lines(lines.first, lines.last), short, share);
}

/** Names that say which of several boxes it is. */
function numbered(name: string, short: string, share: Share | null): { name: string; short: string } {
  const part = (text: string) => (share ? say.partOf(text, share.nr, share.of) : text);
  return { name: part(name), short: part(short) };
}

/** The areas beside one: the chunks of its column, or the parts of its chunk. */
function besideOf(area: Area, chunk: Chunk, layout: MirrorLayout): readonly Area[] {
  return area === chunk.area ? columnOf(chunk, layout).map((one) => one.area) : chunk.area.areas;
}

/** The chunks of the forward pass that a chunk belongs to. */
function columnOf(chunk: Chunk, { chunks }: MirrorLayout): Chunk[] {
  return chunks.filter(({ column, up }) => column === chunk.column && !up);
}

/** Names a loop of which a block holds only some rounds, as where a long one is in several chunks, by these; null for all else. */
function partOfLoop(area: Area, { history: { whereabouts } }: RunState): { name: string; short: string } | null {
  const place = area.frame?.place;
  const run = place?.kind === 'loop' ? whereabouts.loops.get(place.event.loop) : undefined;
  const { called } = run ? factsOf(area) : { called: null };
  if (!run || !called) return null;
  const [first, last] = [run.rounds.at(called.first), run.rounds.at(called.last)];
  const [start, end] = [run.rounds.entries[0]!, run.total ?? run.rounds.last!];
  if (first === undefined || last === undefined || (first === start && last === end)) return null;
  return namedRounds({ first, last });
}

function namedRounds({ first, last }: Span): { name: string; short: string } {
  return { name: say.rounds(first, last), short: say.fromTo(first, last) };
}

/** The module that a round of a loop over layers does nothing but call: its name says more than the number of the round. */
function onlyModule({ areas, ops }: Area): Frame | null {
  const [only] = areas;
  return only?.frame?.place.kind === 'module' && only.ops === ops ? only.frame : null;
}

/** The rounds from one moment to another, of the outermost loop of which they are in different ones. */
function roundsBetween({ first, last }: Span, { history: { whereabouts } }: RunState): Span | null {
  const ends = whereabouts.roundsAt(last);
  for (const { run, round } of whereabouts.roundsAt(first)) {
    const end = ends.find((one) => one.run === run);
    if (end && end.round !== round) return { first: round, last: end.round };
  }
  return null;
}

const NAMELESS = { name: '', short: '' };

/** Rounds of a training loop, side by side, as one block with their count. */
export function blockOfRounds(
  chunks: readonly Chunk[],
  rounds: readonly RoundPlace[],
  state: RunState,
  layout: MirrorLayout,
  pointed: Pointed,
  acting: ReadonlySet<Chunk>,
): BlockPart {
  let rect: Rect | null = null;
  for (const chunk of chunks) rect = union(rect, chunk.rect);
  const first = rounds[0]!;
  const last = rounds.at(-1)!;
  const latest = chunks.findLast(({ up }) => !up) ?? chunks.at(-1)!;
  const ops = chunks.reduce((sum, chunk) => sum + chunk.area.ops, 0);
  const target = targetOf(rounds.length > 1 ? first.outer : first);
  const heat = heatIn(latest.area, latest, state, layout);
  const marks = chunks.map((chunk) => markIn(chunk.area, chunk, chunk === latest ? heat : null, state, layout));
  return {
    area: latest.area,
    rounds,
    name: rounds.length > 1 ? `${first.event.text}` : say.round(first.event.round),
    short: rounds.length > 1 ? `×${rounds.length}` : String(first.event.round),
    detail:
      rounds.length > 1
        ? `${counted(rounds.length, 'round')}, ${first.event.round} to ${last.event.round}`
        : counted(ops, 'op'),
    shape: rounds.length > 1 ? '' : factsOf(latest.area).shape,
    shade: 0,
    inflow: null,
    heat,
    mark: marks.find((mark) => mark === 'error') ?? marks.find((mark) => mark !== null) ?? null,
    second: false,
    found: pointed.found ? chunks.reduce((sum, chunk) => sum + pointed.found!.count(chunk.area), 0) : null,
    current: chunks.some((chunk) => acting.has(chunk)),
    selected: isSame(target, pointed.selection),
    hovered: isSame(target, pointed.hover),
    rect: rect!,
    target,
  };
}

/** The ground of a place, as far down as its ops have come. */
export function groundOf({ frame, rect }: Area, seq: number): Rect {
  return frame ? groundAt(frame, seq) : rect;
}

/** The ground of a frame, as far down as its ops have come. */
export function groundAt(frame: Frame, seq: number): Rect {
  if (frame.last <= seq) return frame.rect;
  let bottom = frame.rect.y;
  for (const item of frame.items) if (item.seq <= seq) bottom = Math.max(bottom, item.y + item.height);
  return { ...frame.rect, height: Math.min(frame.rect.height, bottom + FRAME_FOOTER - frame.rect.y) };
}
