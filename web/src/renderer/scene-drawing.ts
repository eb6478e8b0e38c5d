// Draws a scene: its parts in their order; of one seen from afar only what is not on the canvas yet, and while a step moves
// only what moves.

import type { Rect } from '../layout/rect';
import { SMALL } from '../layout/size';
import { divided } from '../scene/division';
import type { BlockPart, Parts, RegionPart } from '../scene/parts/parts';
import type { Scene } from '../scene/scene';
import { keyOf } from '../scene/target';
import { farTitlesOf, type Title, titlesOf } from '../scene/titles';
import { drawCount, drawHit, drawVeil } from './found';
import { ARRIVED, type Progress } from './motion';
import { type Layers, Moving } from './moving';
import { type Ground, Painted } from './painted';
import { beaconOf, drawBeacon } from './parts/beacon';
import { crossFrames, drawBlocks } from './parts/block';
import { crossingsOf } from './parts/box-arrow';
import { drawCard } from './parts/card';
import { drawDifference } from './parts/difference';
import { drawDots, drawThreads } from './parts/dots';
import { drawEdge, drawEdgeLabel, drawPulse } from './parts/edge';
import { drawFrame, drawFrameName, drawPlate, type Plate, platesOf } from './parts/frame';
import { drawCut, drawNote } from './parts/note';
import { drawAliases, drawPill } from './parts/op-node';
import { sidePlates } from './parts/side-plate';
import type { View } from './patch';
import type { Pen } from './pen';

/** Draws a scene on a canvas, as far as it is not what is `painted` there; what the canvas shows then. */
export function repaint(
  pen: Pen,
  scene: Scene,
  seen: Rect,
  view: View,
  progress: Progress,
  painted: Painted | Moving | null,
  layers: Layers,
): Painted | Moving | null {
  const { ctx } = pen;
  const isAfar = isDotted(pen, scene);
  const before = isAfar && painted instanceof Painted ? painted : null;
  const found = before?.patch(scene, view, () => groundOf(pen, scene, scene.grounds(seen, pen.scale), seen));
  if (found) {
    const { patch, ground } = found;
    const parts = scene.visible(seen, pen.scale, true, patch);
    // The area of a checkpoint is drawn around all of its ops.
    if (parts.regions.length === 0) {
      ctx.save();
      patch.cut(ctx);
      drawSeen(pen, scene, seen, parts, ground, progress);
      ctx.restore();
      return new Painted(scene, view, ground);
    }
  }
  ctx.save();
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(0, 0, view.width, view.height);
  ctx.restore();
  if (progress !== ARRIVED && painted instanceof Moving && painted.isIn(scene, view)) {
    drawMoving(pen, painted, layers, progress);
    return painted;
  }
  const parts = partsOf(pen, scene, seen);
  const ground = groundOf(pen, scene, parts, seen);
  drawSeen(pen, scene, seen, parts, ground, progress);
  if (isAfar) return parts.regions.length === 0 ? new Painted(scene, view, ground) : null;
  return progress === ARRIVED || scene.options.found ? null : new Moving(scene, view, parts, ground.plates);
}

/** Draws what of a scene is within a rectangle. */
export function drawParts(pen: Pen, scene: Scene, seen: Rect, progress: Progress): void {
  const parts = partsOf(pen, scene, seen);
  drawSeen(pen, scene, seen, parts, groundOf(pen, scene, parts, seen), progress);
}

/** Whether all that does not act is dots; a search looks at each thing by itself, and so does the way of an element. */
function isDotted(pen: Pen, { options }: Scene): boolean {
  return !pen.showsShapes && !options.found && !options.trail;
}

function partsOf(pen: Pen, scene: Scene, seen: Rect): Parts {
  return scene.visible(seen, pen.scale, isDotted(pen, scene));
}

function groundOf(
  pen: Pen,
  scene: Scene,
  { frames, blocks, ...parts }: Pick<Parts, 'frames' | 'blocks'> & Partial<Parts>,
  seen: Rect,
): Ground {
  const shapes = [...(parts.cards ?? []), ...(parts.pills ?? [])].map(({ rect }) => rect);
  const acting = blocks.filter(({ current }) => current);
  const titles = pen.showsShapes ? [] : farTitlesOf(scene, pen.scale, blocks, []);
  const beacon = beaconOf(pen, scene, blocks, seen);
  const kept = [...acting, ...titles, ...(beacon ? [beacon] : [])].map(({ rect }) => rect);
  const plates = platesOf(pen, frames, blocks, shapes, kept);
  const beside = sidePlates(pen, { frames, blocks, plates, titles, beacon }, seen);
  return { frames, blocks, plates: [...plates, ...beside], beacon };
}

function drawSeen(
  pen: Pen,
  scene: Scene,
  seen: Rect,
  parts: Parts,
  ground: Pick<Ground, 'blocks' | 'plates' | 'beacon'>,
  progress: Progress,
): void {
  const found = scene.options.found ?? null;
  const { plates, beacon } = ground;
  drawGround(pen, scene, parts, ground);
  if (found) {
    // Edges belong to what was found where both of their ends do.
    const { chosen, rest } = divided(parts, {
      card: ({ item }) => found.has(item),
      pill: ({ item }) => found.has(item),
      edge: ({ link }) => found.has(link.from) && found.has(link.to),
      block: (block) => (block.found ?? 0) > 0,
    });
    drawGraph(pen, scene, rest, parts.blocks, plates, progress);
    drawVeil(pen, seen);
    drawGraph(pen, scene, chosen, parts.blocks, plates, progress);
    for (const block of chosen.blocks) drawCount(pen, block);
    for (const { rect } of [...chosen.cards, ...chosen.pills]) drawHit(pen, rect);
  } else {
    drawGraph(pen, scene, parts, parts.blocks, plates, progress);
  }
  if (beacon) drawBeacon(pen, beacon);
  drawSaid(pen, scene, parts, plates, progress);
}

/** Draws a frame of a transition on an empty canvas: what does not move from the layers, where it is drawn for the first one. */
function drawMoving(pen: Pen, effects: Moving, layers: Layers, progress: Progress): void {
  const { scene, view, parts, plates } = effects;
  if (!effects.moving) {
    const { moving, still } = effects.divide();
    layers.clear(view);
    const below = pen.on(layers.below);
    drawGround(below, scene, parts, { blocks: parts.blocks, plates });
    drawEdges(below, still, ARRIVED);
    drawThings(pen.on(layers.above), scene, still, parts.blocks, plates, ARRIVED);
    effects.moving = moving;
  }
  pen.lay(layers.below);
  drawEdges(pen, effects.moving, progress);
  pen.lay(layers.above);
  drawThings(pen, scene, effects.moving, parts.blocks, plates, progress);
  drawSaid(pen, scene, parts, plates, progress);
}

/** Draws what all else is on. */
function drawGround(
  pen: Pen,
  scene: Scene,
  { frames, regions }: Parts,
  { blocks, plates }: Pick<Ground, 'blocks' | 'plates'>,
): void {
  for (const frame of frames) drawFrame(pen, frame);
  for (const region of regions) drawRegion(pen, region);
  drawTitles(pen, scene, blocks, plates);
  for (const frame of frames) drawFrameName(pen, frame);
}

/** Draws what is said of what is seen, over all of it. */
function drawSaid(pen: Pen, scene: Scene, parts: Parts, plates: readonly Plate[], progress: Progress): void {
  const { differing, hover } = scene.options;
  drawAliases(pen, parts.pills, hover);
  if (differing)
    for (const { rect, target } of [...parts.cards, ...parts.pills]) {
      const word = differing.get(keyOf(target));
      if (word) drawDifference(pen, rect, word);
    }
  if (pen.showsText) for (const note of scene.notes) drawNote(pen, note, progress);
  if (!pen.showsText) crossFrames(pen, parts.frames, parts.blocks);
  for (const plate of plates) drawPlate(pen, plate);
}

/** Draws some of what is seen; edges go on below `closed`, what travels on them and their numbers are seen up to its rim. */
function drawGraph(
  pen: Pen,
  scene: Scene,
  parts: Parts,
  closed: readonly BlockPart[],
  plates: readonly Plate[],
  progress: Progress,
): void {
  drawEdges(pen, parts, progress);
  drawThings(pen, scene, parts, closed, plates, progress);
}

function drawEdges(pen: Pen, { edges, dots }: Parts, progress: Progress): void {
  drawThreads(pen, dots);
  for (const edge of edges) drawEdge(pen, edge, progress);
}

function drawThings(
  pen: Pen,
  scene: Scene,
  { cards, pills, edges, blocks, dots }: Parts,
  closed: readonly BlockPart[],
  plates: readonly Plate[],
  progress: Progress,
): void {
  const { effects } = scene;
  for (const edge of edges) drawCut(pen, edge);
  if (blocks.length > 0) drawBlocks(pen, blocks, plates, crossingsOf(edges, dots));
  drawDots(pen, dots);
  for (const card of cards) {
    drawCard(pen, card, progress, effects.landing.has(card.item.id), effects.appearing.has(card.item.id));
  }
  const backward = effects.sending.size > 0 || effects.freeing.size > 0 || scene.state.call?.running === true;
  for (const pill of pills) {
    const { id, node } = pill.item;
    drawPill(pen, pill, progress, {
      waking: effects.waking === id,
      appearing: effects.appearing.has(id),
      seeding: effects.seeding.has(id),
      backward,
      freeing: (chip) => chip.target.type === 'saved' && effects.freeing.has(`${node}/${chip.target.slot}`),
    });
  }
  for (const edge of edges) drawEdgeLabel(pen, edge, progress, closed);
  for (const edge of edges) drawPulse(pen, edge, progress, effects.landing.has(edge.link.from.id), closed);
}

/** The ground of ops that ran under a checkpoint. */
function drawRegion(pen: Pen, region: RegionPart): void {
  const { tokens } = pen;
  for (const { x, y, width, height } of region.areas) {
    pen.box(x, y, width, height, 12);
    pen.fill(tokens.sunken);
    pen.stroke(region.running ? tokens.forward : tokens.hairlineStrong, region.running ? 2 : 1, [6, 4]);
  }
  if (region.running) drawLoop(pen, region.areas);
  const ink = region.running ? tokens.forwardInk : tokens.muted;
  pen.text(region.label, region.labelX, region.labelY, ink, SMALL, 'right', region.running ? 700 : 500);
}

/** From the last of the ops that are computed again back to the first: once more around. */
function drawLoop(pen: Pen, areas: readonly Rect[]): void {
  const { ctx, tokens } = pen;
  const first = areas[0]!;
  const last = areas.at(-1)!;
  const top = first.y + 26;
  const bottom = last.y + last.height - 22;
  const out = Math.min(first.x, last.x) - 26;
  ctx.beginPath();
  ctx.moveTo(last.x, bottom);
  ctx.bezierCurveTo(out, bottom, out, bottom, out, (top + bottom) / 2);
  ctx.bezierCurveTo(out, top, out, top, first.x - 4, top);
  pen.stroke(tokens.forward, 2.25);
  pen.arrow(first.x, top, 1, 0, tokens.forward, 9);
}

/** The line from what was differentiated to the title of its recorded derivative: dotted, as nothing flows along it. */
function drawTie(pen: Pen, tie: NonNullable<Title['tie']>): void {
  const { ctx, tokens } = pen;
  const [x, y] = tie[0]!;
  ctx.beginPath();
  ctx.arc(x, y, 2.5, 0, Math.PI * 2);
  pen.fill(tokens.second);
  ctx.beginPath();
  ctx.moveTo(x, y);
  for (const [toX, toY] of tie) ctx.lineTo(toX, toY);
  pen.stroke(tokens.second, 1.25, [2, 4]);
}

/** The number of each pass above its column, where there are several, and what is computed by a recorded graph. */
function drawTitles(pen: Pen, scene: Scene, blocks: readonly BlockPart[], plates: readonly Plate[]): void {
  const { secondInk, muted } = pen.tokens;
  const titles = pen.showsShapes ? titlesOf(scene) : [];
  for (const { tie } of titles) if (tie) drawTie(pen, tie);
  if (pen.showsText) {
    for (const { text, x, y, second } of titles) pen.text(text, x, y, second ? secondInk : muted, SMALL, 'left', 500);
  } else {
    const rects = plates.map(({ rect }) => rect);
    const marks = farTitlesOf(scene, pen.scale, blocks, rects);
    pen.marks(
      marks.map(({ text, x, y }) => ({ text, x, y, colour: muted, weight: 500 })),
      'left',
    );
  }
}
