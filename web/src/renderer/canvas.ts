// Draws scenes on a canvas, and animates a step for as long as something moves.

import { overlaps, union } from '../layout/rect';
import { SMALL } from '../layout/size';
import { noDots } from '../scene/dots';
import type { Found } from '../scene/found';
import type { Room } from '../scene/note-place';
import type { BlockPart, Parts, RegionPart } from '../scene/parts';
import type { Rect, Scene } from '../scene/scene';
import { keyOf, type Target } from '../scene/target';
import { titlesOf } from '../scene/titles';
import { drawBlock } from './block';
import { Camera, type Home, LEAST_WHOLE } from './camera';
import { drawCard } from './card';
import { drawDifference } from './difference';
import { drawDots, drawThreads } from './dots';
import { drawCount, drawHit, drawVeil } from './found';
import { drawFrame, drawFrameName, drawPlate, type Plate, platesOf } from './frame';
import { ARRIVED, Motion, type Progress } from './motion';
import { drawCut, drawNote } from './note';
import { Pen, showsText } from './pen';
import { drawAliases, drawPill } from './pill';
import { drawPulse, drawRoad, drawRoadLabel } from './road';
import type { ThemeTokens } from './tokens';

/** How a scene comes in: as one gesture from the scene before, over a number of milliseconds. */
export type Transition = { from: Scene; durationMs: number };

/** The share of the view that an actor and its receivers may take to be brought into view together. */
const MOST_REACH = 0.85;
const NOWHERE: Rect = { x: 0, y: 0, width: 1, height: 1 };

export class StageRenderer {
  readonly camera: Camera;
  #scene: Scene | null = null;
  #motion: Motion | null = null;
  #frame = 0;
  #ratio = 1;
  #theme: ThemeTokens | null = null;
  #frameShown: Rect | null = null;
  /** What the step that is shown is about. */
  #worth: Rect | null = null;
  /** The view stayed with what the reader had selected, and follows with the next step. */
  #stayed = false;
  #seen: Rect = NOWHERE;
  /** The room that the notes of a scene were placed in. */
  #noted: { scene: Scene; room: Room } | null = null;

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly tokens: () => ThemeTokens,
    /** Called with what is in view whenever that changes. */
    readonly onview: (seen: Rect) => void = () => {},
    /** What lies over the canvas, in CSS pixels from its top left. */
    readonly covered: () => readonly Rect[] = () => [],
  ) {
    this.camera = new Camera(
      () => this.#home(),
      // What has not been reached yet would be empty room.
      () => this.#scene?.drawn ?? this.#scene?.bounds ?? NOWHERE,
      () => this.#request(),
    );
    this.resize();
  }

  /** Shows a scene, with a transition as one gesture; what is `kept` stays where it is seen. */
  setScene(scene: Scene, transition: Transition | null = null, kept: Rect | null = null): void {
    const before = this.#scene;
    this.#scene = scene;
    const isStep = before?.state.seq !== scene.state.seq || before.layout !== scene.layout;
    if (isStep) {
      this.#motion =
        transition && Motion.fits(transition.durationMs)
          ? new Motion(scene.gesture, performance.now(), transition.durationMs)
          : null;
    }
    // What is placed late, when the stream rests, may be all that there is to look at.
    if (kept && overlaps(kept, this.camera.aim)) this.#stayed = true;
    else if (isStep || (!this.#stayed && (this.#isElsewhere() || this.#isMore(scene)))) {
      this.#follow(scene, before?.layout !== scene.layout, transition !== null);
    }
    this.#request();
  }

  /** What lies under a point in CSS pixels from the canvas's top left. */
  hitTest(x: number, y: number): Target | null {
    const { camera } = this;
    return this.#scene?.hit(camera.x + x / camera.scale, camera.y + y / camera.scale, camera.scale) ?? null;
  }

  /** Shows what one looks at by default, at once; of a graph that is too large to be read as a whole, the step that is now. */
  goHome(): void {
    this.camera.goHome(false);
    if (this.#scene?.focus) this.#see(this.#scene, false);
  }

  /** Takes the size of the canvas on the page. */
  resize(): void {
    const { canvas, camera } = this;
    this.#ratio = globalThis.devicePixelRatio || 1;
    camera.width = canvas.clientWidth || 1;
    camera.height = canvas.clientHeight || 1;
    canvas.width = Math.round(camera.width * this.#ratio);
    canvas.height = Math.round(camera.height * this.#ratio);
    this.draw(performance.now());
  }

  /** Draws again in the next frame, as after a change of the theme. */
  redraw(): void {
    this.#theme = null;
    this.#request();
  }

  destroy(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#scene = null;
  }

  /** Draws the scene as it is at a time; true while something moves. */
  draw(now: number): boolean {
    const ctx = this.canvas.getContext('2d');
    const { camera } = this;
    if (!ctx) return false;
    const easing = camera.advance(now);
    const progress = this.#motion && !this.#motion.isOver(now) ? this.#motion.at(now) : ARRIVED;
    if (progress === ARRIVED) this.#motion = null;
    ctx.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    ctx.clearRect(0, 0, camera.width, camera.height);
    const scene = this.#scene;
    if (!scene) return false;
    this.#theme ??= this.tokens();
    this.#note(scene);
    const { scale } = camera;
    const factor = this.#ratio * scale;
    ctx.setTransform(factor, 0, 0, factor, -camera.x * factor, -camera.y * factor);
    ctx.lineJoin = 'round';
    ctx.lineCap = 'butt';
    const pen = new Pen(ctx, this.#theme, scale);
    const seen: Rect = { x: camera.x, y: camera.y, width: camera.width / scale, height: camera.height / scale };
    drawParts(pen, scene, seen, progress);
    if (!sameRect(seen, this.#seen)) {
      this.#seen = seen;
      this.onview(seen);
    }
    return easing || this.#motion !== null;
  }

  /** The view to begin with: everything if that can be read, else the pass that the moment belongs to. */
  #home(): Home {
    const scene = this.#scene;
    if (!scene) return { rect: NOWHERE, anchor: null, drawn: null };
    const rect = this.camera.natural(scene.bounds) >= LEAST_WHOLE ? scene.bounds : scene.frame;
    return { rect, anchor: scene.reach ?? scene.latest, drawn: scene.drawn };
  }

  /** What one looks at by default is not what it was. */
  #isElsewhere(): boolean {
    return !this.#frameShown || !sameRect(this.#home().rect, this.#frameShown);
  }

  #follow(scene: Scene, isNew: boolean, animated: boolean): void {
    const { camera } = this;
    const moved = this.#stayed || this.#isElsewhere();
    this.#stayed = false;
    this.#frameShown = this.#home().rect;
    if (isNew) camera.held = false;
    const eases = (animated || !isNew) && !globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches;
    if (!camera.held && moved) camera.goHome(eases);
    this.#see(scene, eases);
  }

  /** Of what the step is about, more has been placed than was shown; a view that the reader chose stays. */
  #isMore(scene: Scene): boolean {
    const worth = this.camera.held ? null : this.#worthSeeing(scene);
    return worth !== null && !(this.#worth && sameRect(worth, this.#worth));
  }

  /** Brings into view what the step is about. */
  #see(scene: Scene, eases: boolean): void {
    const { camera } = this;
    const worth = this.#worthSeeing(scene);
    this.#worth = worth;
    camera.ensureVisible(worth, eases);
    if (!worth) return;
    if (!showsText(camera.width / camera.aim.width)) return;
    // What is said of the step is to be read too.
    const notes = scene.placeNotes({ rect: camera.aim, covered: this.#covered() });
    const told = notes.reduce((all, { rect }) => union(all, rect), worth);
    const isRead = sameRect(union(camera.aim, told), camera.aim);
    if (!isRead && this.#fits(told, MOST_REACH)) camera.ensureVisible(told, eases);
  }

  /** What acts with all that is said of it, where that fits the view; else what it records, which is new; else what acts. */
  #worthSeeing({ focus, reach, told, recorded }: Scene): Rect | null {
    if (!focus || !reach) return null;
    const whole = [told ? union(reach, told) : reach, reach].find((rect) => this.#fits(rect, MOST_REACH));
    return whole ?? (recorded && this.#fits(recorded, 1) ? recorded : focus);
  }

  /** Whether something takes at most a share of the view, at the scale that it has once it rests. */
  #fits({ width, height }: Rect, share: number): boolean {
    const { aim } = this.camera;
    return width < aim.width * share && height < aim.height * share;
  }

  /** Notes stand where they can be read as the step is shown, and stay there while the reader moves the view. */
  #note(scene: Scene): void {
    if (!showsText(this.camera.scale)) return;
    const before = this.#noted;
    const isSameStep = before?.scene.state.seq === scene.state.seq && before.scene.layout === scene.layout;
    const stays = this.camera.held && isSameStep;
    if (before?.scene === scene && (stays || sameRect(before.room.rect, this.camera.aim))) return;
    const room = stays ? before.room : { rect: this.camera.aim, covered: this.#covered() };
    scene.placeNotes(room);
    this.#noted = { scene, room };
  }

  /** What lies over the stage, once the view rests. */
  #covered(): Rect[] {
    const { aim, width } = this.camera;
    const size = aim.width / width;
    return this.covered().map((rect) => ({
      x: aim.x + rect.x * size,
      y: aim.y + rect.y * size,
      width: rect.width * size,
      height: rect.height * size,
    }));
  }

  #request(): void {
    if (this.#frame) return;
    const run = (now: number): void => {
      this.#frame = 0;
      if (this.draw(Math.max(now, performance.now()))) this.#request();
    };
    this.#frame = requestAnimationFrame(run);
  }
}

function sameRect(a: Rect, b: Rect): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

/** Draws what of a scene is within a rectangle. */
export function drawParts(pen: Pen, scene: Scene, seen: Rect, progress: Progress): void {
  const found = scene.options.found ?? null;
  // A search looks at each thing by itself, and so does the way of an element.
  const parts = scene.visible(seen, pen.scale, !pen.showsShapes && !found && !scene.options.trail);
  const { regions, frames } = parts;
  for (const frame of frames) drawFrame(pen, frame);
  for (const region of regions) drawRegion(pen, region);
  drawTitles(pen, scene);
  for (const frame of frames) drawFrameName(pen, frame);
  const plates = platesOf(pen, frames, parts.blocks);
  if (found) {
    const { hits, quiet } = divided(parts, found);
    drawGraph(pen, scene, quiet, parts.blocks, plates, progress);
    drawVeil(pen, seen);
    drawGraph(pen, scene, hits, parts.blocks, plates, progress);
    for (const block of hits.blocks) drawCount(pen, block);
    for (const { rect } of [...hits.cards, ...hits.pills]) drawHit(pen, rect);
  } else {
    drawGraph(pen, scene, parts, parts.blocks, plates, progress);
  }
  const { differing } = scene.options;
  if (differing)
    for (const { rect, target } of [...parts.cards, ...parts.pills]) {
      const word = differing.get(keyOf(target));
      if (word) drawDifference(pen, rect, word);
    }
  if (pen.showsText) for (const note of scene.notes) drawNote(pen, note, progress.land);
  for (const plate of plates) drawPlate(pen, plate);
}

/** What was found, and the rest; edges belong to what was found where both of their ends do. */
function divided(parts: Parts, found: Found): { hits: Parts; quiet: Parts } {
  const split = <P>(all: readonly P[], isHit: (part: P) => boolean): [P[], P[]] => [
    all.filter(isHit),
    all.filter((part) => !isHit(part)),
  ];
  const cards = split(parts.cards, ({ item }) => found.has(item));
  const pills = split(parts.pills, ({ item }) => found.has(item));
  const roads = split(parts.roads, ({ link }) => found.has(link.from) && found.has(link.to));
  const blocks = split(parts.blocks, (block) => (block.found ?? 0) > 0);
  const none = { regions: [], frames: [], dots: noDots() };
  return {
    hits: { ...none, cards: cards[0], pills: pills[0], roads: roads[0], blocks: blocks[0] },
    quiet: { ...none, cards: cards[1], pills: pills[1], roads: roads[1], blocks: blocks[1] },
  };
}

/** Draws some of what is seen; roads go on below `closed`, what travels on them and their numbers are seen up to its rim. */
function drawGraph(
  pen: Pen,
  scene: Scene,
  { cards, pills, roads, blocks, dots }: Parts,
  closed: readonly BlockPart[],
  plates: readonly Plate[],
  progress: Progress,
): void {
  const { gesture } = scene;
  drawThreads(pen, dots);
  for (const road of roads) drawRoad(pen, road, progress);
  for (const road of roads) drawCut(pen, road);
  for (const block of blocks) drawBlock(pen, block, plates);
  drawDots(pen, dots);
  for (const card of cards) {
    drawCard(pen, card, progress, gesture.landing.has(card.item.id), gesture.appearing.has(card.item.id));
  }
  const backward = gesture.sending.size > 0 || gesture.freeing.size > 0 || scene.state.call?.running === true;
  for (const pill of pills) {
    const { id, node } = pill.item;
    drawPill(pen, pill, progress, {
      waking: gesture.waking === id,
      appearing: gesture.appearing.has(id),
      seeding: gesture.seeding.has(id),
      backward,
      freeing: (chip) => chip.target.type === 'saved' && gesture.freeing.has(`${node}/${chip.target.slot}`),
    });
  }
  for (const road of roads) drawRoadLabel(pen, road, progress, closed);
  for (const road of roads) drawPulse(pen, road, progress, gesture.landing.has(road.link.from.id), closed);
  drawAliases(pen, pills, scene.options.hover);
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

/** The number of each pass above its column, where there are several, and what is computed by a recorded graph. */
function drawTitles(pen: Pen, scene: Scene): void {
  const { secondInk, muted } = pen.tokens;
  for (const { text, x, y, second } of titlesOf(scene))
    pen.text(text, x, y, second ? secondInk : muted, SMALL, second ? 'center' : 'left', 500);
}
