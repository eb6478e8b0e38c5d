// A canvas on which scenes are drawn, and a step is animated for as long as something moves.

import { grown, overlaps } from '../layout/rect';
import type { Room } from '../scene/notes/note-place';
import type { Rect, Scene } from '../scene/scene';
import type { Target } from '../scene/target';
import { Camera } from './camera';
import { frameNotes, frameStep, frameThings, uncut, type Wanted } from './framing';
import { homeOf, isLarge, opensAsBoxes } from './home';
import { ARRIVED, Motion } from './motion';
import { Layers, type Moving } from './moving';
import type { Painted } from './painted';
import type { View } from './patch';
import { Pen, showsText } from './pen';
import { repaint } from './scene-drawing';
import type { ThemeTokens } from './tokens';

/** How a scene comes in: as one transition from the scene before, over a number of milliseconds. */
export type Transition = { from: Scene; durationMs: number };

/** Smaller than at this scale one sees too little of what one asked for. */
const LEAST_CHOSEN = 0.5;
/** As boxes, a large model of which less than so many pixels in height is drawn would be a line: what is drawn is shown nearer. */
const LEAST_DRAWN = 40;
/** The margin of notes at each rim of the view, in pixels. */
const EDGE = 4;
const NOWHERE: Rect = { x: 0, y: 0, width: 1, height: 1 };

export class StageRenderer {
  readonly camera: Camera;
  #scene: Scene | null = null;
  #motion: Motion | null = null;
  #frame = 0;
  #ratio = 1;
  #theme: ThemeTokens | null = null;
  #frameShown: Rect | null = null;
  /** What the step that is shown is about, and how many notes there were on it. */
  #worth: Rect | null = null;
  #said = 0;
  /** What the view was brought to beside the step, until the next one. */
  #evidence: readonly Wanted[] = [];
  /** A large model is shown as a whole by itself, as boxes. */
  #boxed = false;
  /** What it was opened on: all that was drawn of it then. */
  #whole: Rect | null = null;
  /** So little of it is drawn at this step that the view is nearer. */
  #isNear = false;
  /** The view stayed with what the reader had selected, and follows with the next step. */
  #stayed = false;
  #seen: Rect = NOWHERE;
  /** The room that the notes of a scene were placed in. */
  #noted: { scene: Scene; room: Room } | null = null;
  /** What the canvas shows; null where it is to be drawn as a whole. */
  #painted: Painted | Moving | null = null;
  readonly #layers = new Layers();
  readonly #redrawn = () => this.redraw();

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly tokens: () => ThemeTokens,
    /** Called with what is in view whenever that changes. */
    readonly onview: (seen: Rect) => void = () => {},
    /** What lies over the canvas, in CSS pixels from its top left. */
    readonly covered: () => readonly (Rect & { isMap?: boolean })[] = () => [],
  ) {
    this.camera = new Camera(
      () => (this.#scene ? homeOf(this.camera, this.#scene) : { rect: NOWHERE, anchor: null, drawn: null }),
      // What has not been reached yet would be empty room.
      () => (this.#scene ? this.#reachedIn(this.#scene) : NOWHERE),
      () => this.#request(),
    );
    // What a canvas showed is gone with its context, and of a font that came late only what is drawn anew has it.
    canvas.addEventListener('contextrestored', this.#redrawn);
    document.fonts?.addEventListener('loadingdone', this.#redrawn);
    this.resize();
  }

  /** Shows a scene, with a transition; what is `kept` stays where it is seen. */
  setScene(scene: Scene, transition: Transition | null = null, kept: Rect | null = null): void {
    const before = this.#scene;
    this.#scene = scene;
    const isStep = before?.state.seq !== scene.state.seq || before.layout !== scene.layout;
    if (isStep) {
      this.#motion =
        transition && Motion.fits(transition.durationMs)
          ? new Motion(scene.effects, performance.now(), transition.durationMs)
          : null;
    }
    if (isStep) this.#evidence = [];
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
  goHome(animated = false): void {
    this.#evidence = [];
    this.#boxed = this.#isNear = false;
    this.camera.goHome(animated);
    if (this.#scene?.focus) this.#seeWhole(this.#scene, animated);
  }

  /**
   * Brings some things into view: all of them where they fit at a scale that can be read, else the first with as many
   * others as fit.  They stay in view when the canvas is resized, until the next step.
   */
  frame(things: readonly Wanted[], animated: boolean, zooms = true): void {
    const framed = frameThings(this.camera, things, this.covered(), zooms && !this.#isChosen);
    if (!framed) return;
    this.#evidence = things;
    this.camera.go(framed.view, animated);
  }

  /** The view shows all of a large model as boxes by itself, in which things are too small to be told apart. */
  get showsBoxes(): boolean {
    return this.#boxed && this.camera.overview && !this.camera.held;
  }

  /** The scale at which all of a large model is shown, as boxes; null for a smaller one. */
  scaleOfBoxes(scene: Scene): number | null {
    return isLarge(this.camera, scene) ? this.camera.natural(scene.bounds) : null;
  }

  /** The reader chose a view in which things can be told apart. */
  get #isChosen(): boolean {
    return this.camera.held && this.camera.goal >= LEAST_CHOSEN;
  }

  /** Shows again what it showed by itself, in a canvas of another size. */
  refit(): void {
    const evidence = this.#evidence;
    if (this.camera.overview) this.camera.fit(false);
    else {
      const [boxed, isNear] = [this.#boxed, this.#isNear];
      this.goHome();
      if (isNear) [this.#boxed, this.#isNear] = [boxed, isNear];
    }
    this.frame(evidence, false);
  }

  /** Shows the whole graph; where it is seen already, and too small to be read, the step that is now. */
  fit(animated: boolean): void {
    const { camera } = this;
    if (camera.isOverview) {
      camera.opening = false;
      this.goHome(animated);
    } else camera.fit(animated);
  }

  /** Ends the view in which the run opened; `nearer` goes from the boxes that it shows by itself to what acts. */
  goOn(nearer: boolean): void {
    this.camera.opening = false;
    if (!nearer || !this.#boxed) return;
    this.#boxed = this.#isNear = this.camera.overview = false;
    this.#frameShown = null;
  }

  /** Takes the size of the canvas on the page. */
  resize(): void {
    const { canvas, camera } = this;
    this.#ratio = globalThis.devicePixelRatio || 1;
    camera.width = canvas.clientWidth || 1;
    camera.height = canvas.clientHeight || 1;
    canvas.width = Math.round(camera.width * this.#ratio);
    canvas.height = Math.round(camera.height * this.#ratio);
    this.#painted = null;
    this.draw(performance.now());
  }

  /** Keeps what the step is about clear of what has come to lie over the canvas; a view that the reader chose stays. */
  uncover(animated: boolean): void {
    if (!this.#scene || this.camera.held) return;
    if (this.#evidence.length > 0) this.frame(this.#evidence, animated);
    else if (this.#isToBeRead) this.#seeWhole(this.#scene, animated);
  }

  /** Ends what moves, and places the notes for the view in which it rests. */
  settle(): void {
    this.#motion = null;
    this.draw(Number.POSITIVE_INFINITY);
  }

  /** Draws again in the next frame, as after a change of the theme. */
  redraw(): void {
    this.#theme = null;
    this.#painted = null;
    this.#request();
  }

  destroy(): void {
    this.canvas.removeEventListener('contextrestored', this.#redrawn);
    document.fonts?.removeEventListener('loadingdone', this.#redrawn);
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#scene = null;
  }

  /** Draws the scene as it is at a time; true while something moves. */
  draw(now: number): boolean {
    const ctx = this.canvas.getContext('2d');
    const { camera, canvas } = this;
    if (!ctx) return false;
    const easing = camera.advance(now);
    const progress = this.#motion && !this.#motion.isOver(now) ? this.#motion.at(now) : ARRIVED;
    if (progress === ARRIVED) this.#motion = null;
    const scene = this.#scene;
    if (!scene) {
      ctx.setTransform(1, 0, 0, 1, 0, 0);
      ctx.clearRect(0, 0, canvas.width, canvas.height);
      this.#painted = null;
      return false;
    }
    this.#theme ??= this.tokens();
    this.#note(scene);
    const { scale } = camera;
    const factor = this.#ratio * scale;
    ctx.setTransform(factor, 0, 0, factor, -camera.x * factor, -camera.y * factor);
    ctx.lineJoin = 'round';
    ctx.lineCap = 'butt';
    const pen = new Pen(ctx, this.#theme, scale);
    const { seen } = camera;
    const view: View = { x: camera.x, y: camera.y, factor, width: canvas.width, height: canvas.height };
    this.#painted = repaint(pen, scene, seen, view, progress, this.#painted, this.#layers);
    if (!sameRect(seen, this.#seen)) {
      this.#seen = seen;
      this.onview(seen);
    }
    return easing || this.#motion !== null;
  }

  /** What has been reached: of a large model, for which room is scarce, without the leaves that nothing uses beside what is to come. */
  #reachedIn(scene: Scene): Rect {
    return (isLarge(this.camera, scene) ? scene.compact : scene.drawn) ?? scene.bounds;
  }

  /** What one looks at by default is not what it was. */
  #isElsewhere(): boolean {
    return !this.#frameShown || !sameRect(this.camera.home().rect, this.#frameShown);
  }

  #follow(scene: Scene, isNew: boolean, animated: boolean): void {
    const { camera } = this;
    const moved = this.#stayed || this.#isElsewhere();
    this.#stayed = false;
    this.#frameShown = this.camera.home().rect;
    if (isNew) camera.held = false;
    const eases = (animated || !isNew) && !globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches;
    if (!camera.held && moved) {
      this.#boxed = opensAsBoxes(camera, scene) || (this.#boxed && (camera.overview || this.#isNear));
      this.#isNear = false;
      if (this.#boxed) {
        this.#whole = this.#reachedIn(scene);
        camera.fit(eases);
      } else camera.goHome(eases);
    }
    this.#approach(scene, eases);
    this.#seeWhole(scene, eases);
  }

  /** Brings into view what the step is about, and whole texts of what is around it. */
  #seeWhole(scene: Scene, eases: boolean): void {
    const { camera } = this;
    this.#see(scene, eases);
    const whole =
      camera.held || camera.overview || camera.opening || !this.#isToBeRead
        ? null
        : uncut(camera, scene, this.covered());
    if (!whole) return;
    camera.go(whole, eases);
    // Notes stay where they were placed: the view shows them still.
    if (this.#noted?.scene === scene) this.#noted = { scene, room: this.#noteRoom() };
  }

  /** Goes nearer to what is drawn where that would be a line in the view of the whole, and back once it no longer is. */
  #approach({ drawn }: Scene, eases: boolean): void {
    const { camera } = this;
    if (!this.#boxed || !this.#whole || !drawn || camera.held || !(camera.overview || this.#isNear)) return;
    const isNear = drawn.height * camera.natural(this.#whole) < LEAST_DRAWN;
    if (isNear === this.#isNear) return;
    this.#isNear = isNear;
    if (isNear) camera.goHome(eases);
    else camera.fit(eases, this.#whole);
  }

  /** Of what the step is about, more has been placed than was shown, or more is said of it; a view that the reader chose stays. */
  #isMore(scene: Scene): boolean {
    if (this.showsBoxes && !this.#showsAll(scene)) return true;
    const worth = this.camera.held || this.#evidence.length > 0 ? null : scene.reach;
    if (worth === null) return false;
    if (!this.#worth || !sameRect(worth, this.#worth)) return true;
    // What a run opens on stays as it is.
    return !this.camera.opening && this.#isToBeRead && scene.remarks.length > this.#said;
  }

  /** Whether all that is drawn is in view, and clear of what lies over the stage. */
  #showsAll({ drawn }: Scene): boolean {
    return !drawn || this.camera.shows(drawn, this.#coveredButMap);
  }

  /** What lies over the stage also where all of it is in view, in CSS pixels. */
  get #coveredButMap(): Rect[] {
    return this.covered().filter(({ isMap }) => !isMap);
  }

  /** Brings into view what the step is about. */
  #see(scene: Scene, eases: boolean): void {
    const { camera } = this;
    const isBoxed = this.showsBoxes;
    // All of a large model stays in view as it grows, and then there is no map to keep clear of.
    if (isBoxed && !this.#showsAll(scene)) camera.fit(eases);
    const covered = isBoxed ? this.#coveredButMap : this.covered();
    this.#worth = scene.reach;
    this.#said = this.#isToBeRead ? scene.remarks.length : 0;
    const framed = frameStep(camera, scene, covered);
    // A view that makes room around what acts would no longer show all of a large model.
    if (!framed || (isBoxed && camera.shows(framed.core, covered))) return;
    camera.go(framed.view, eases);
    if (!this.#isToBeRead) return;
    // The notes of the step are to be read too.
    const { read } = camera.readable;
    const { rect, core, sent = core } = framed;
    const hasShown = this.#showNotes(scene, [rect, sent, core], covered, eases);
    if (hasShown || !camera.zooms || camera.goal <= read) return;
    const smaller = camera.clear(framed.core, read, covered);
    if (!smaller) return;
    camera.go(smaller, eases);
    this.#showNotes(scene, [framed.core], covered, eases);
  }

  /** Places the notes and brings them into view with the first of `places` that fits beside them; returns whether all are seen. */
  #showNotes(scene: Scene, places: readonly Rect[], covered: readonly Rect[], eases: boolean): boolean {
    const { camera } = this;
    const before = this.#noteRoom();
    const framed = frameNotes(camera, scene, places, covered, before);
    if (framed) camera.go(framed.view, eases);
    const room = this.#noteRoom();
    this.#noted = { scene, room };
    if (!framed) scene.placeNotes(room);
    scene.keepNotes(room.rect);
    if (framed && !sameRect(before.rect, room.rect)) {
      // Where the view has come to, there may be better places.
      const planned = scene.notes;
      scene.placeNotes(room);
      scene.keepNotes(room.rect);
      if (scene.notes.length < planned.length) scene.takeNotes(planned);
    }
    return framed?.isWhole === true;
  }

  /** Whether texts are large enough, once the view rests. */
  get #isToBeRead(): boolean {
    return showsText(this.camera.goal);
  }

  /** Notes are where they can be read as the step is shown, and stay there while the reader moves the view. */
  #note(scene: Scene): void {
    if (!showsText(this.camera.scale)) return;
    const before = this.#noted;
    const isSameStep = before?.scene.state.seq === scene.state.seq && before.scene.layout === scene.layout;
    const stays = this.camera.held && isSameStep;
    if (before?.scene === scene && (stays || sameRect(before.room.rect, this.#noteRect))) return;
    const room = stays ? before.room : this.#noteRoom();
    scene.placeNotes(room);
    scene.keepNotes(room.rect);
    this.#noted = { scene, room };
  }

  /** The part of the stage that is seen once the view rests, but for its rims, over which dividers reach. */
  get #noteRect(): Rect {
    return grown(this.camera.aim, -EDGE / this.camera.goal);
  }

  #noteRoom(): Room {
    return { rect: this.#noteRect, covered: this.#covered(), cuts: true };
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
