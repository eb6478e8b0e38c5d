// Pictures of a trace without a page: what the page's export draws, on a context that writes SVG.

import { stepSum } from '../../formulas/step-sum';
import { MirrorLayout } from '../../layout/mirror';
import { Slices } from '../../layout/pace/slices';
import * as say from '../../messages/export';
import type { ThemeTokens } from '../../renderer/tokens';
import type { OpEntry } from '../../run/api';
import type { Speed } from '../../run/speed';
import { buildScene, type Scene } from '../../scene/scene';
import { EventLog } from '../../store/log';
import { Timeline } from '../../timeline/timeline';
import { readEvents } from '../../trace/trace-reading';
import { captionHeight, drawFrame, type Frame, type Measure, sizeOf, wholePicture, wholeView } from '../picture';
import { MOST_STEPS, Reel } from '../reel';
import { captionAt, type Recorded } from '../stage-picture';
import { SvgPen } from '../svg';

/** How pictures are drawn; `styles` brings fonts into them. */
export type Look = { ops: readonly OpEntry[]; tokens: ThemeTokens; wide: Measure; styles: string };
/** A picture in pixels; one of a film is shown for a time. */
export type Drawn = { svg: string; width: number; height: number; step: number; caption: string; durationMs: number };

/** What is wrong with what was asked for, as a sentence. */
export class NotDrawn extends Error {}

/** Reads a trace; rejects with a TraceFileError where it is none. */
export async function recordedOf(trace: Blob): Promise<Recorded> {
  const log = new EventLog();
  const timeline = new Timeline(log);
  await readEvents(trace, (batch) => log.append(batch));
  return { log, timeline };
}

/** The cursor that a page opens at: before the first backward pass, else at the end. */
function openingOf({ timeline }: Recorded): number {
  const backward = timeline.nextBackward(0);
  return backward === null ? timeline.moments.length - 1 : Math.max(0, backward - 1);
}

function cursorOf({ timeline }: Recorded, step: number): number {
  const { length } = timeline.moments;
  if (!(step >= 1 && step <= length)) throw new NotDrawn(say.stepsAre(length));
  return step - 1;
}

function sceneAt({ log, timeline }: Recorded, cursor: number, ops: readonly OpEntry[]): Scene {
  const layout = new MirrorLayout(log, new Slices({ whole: true }), 'wide');
  layout.close();
  const state = timeline.stateAt(cursor);
  return buildScene(state, layout, { selection: null, hover: null, sum: stepSum(state, ops) });
}

/** The picture of a step, `null` for the one that a page opens at; `ratio` or else `width` says how large it is. */
export function pictureOf(
  run: Recorded,
  look: Look,
  { step, ratio, width, captioned }: { step: number | null; ratio: number; width: number | null; captioned: boolean },
): Drawn {
  if (run.timeline.moments.length === 0) throw new NotDrawn(say.nothingRecorded);
  const cursor = step === null ? openingOf(run) : cursorOf(run, step);
  const whole = wholePicture(sceneAt(run, cursor, look.ops));
  if (!whole) throw new NotDrawn(say.nothingDrawn);
  const { tokens, wide } = look;
  const view = wholeView(whole.drawn, ratio);
  const caption = captionAt(run, look.ops, cursor);
  const height = captioned ? captionHeight(caption, view.rect.width * view.scale, wide) : 0;
  const frame: Frame = { scene: whole.scene, view, caption, height, tokens, wide };
  const size = sizeOf(frame);
  const pixels = width === null ? ratio : width / size.width;
  const pen = new SvgPen();
  drawFrame(pen.ctx, frame, pixels);
  const [across, down] = [Math.round(size.width * pixels), Math.round(size.height * pixels)];
  const svg = pen.document(across, down, look.styles, caption);
  return { svg, width: across, height: down, step: cursor + 1, caption, durationMs: 0 };
}

/** The pictures of a film of some steps, in their order. */
export function* filmOf(
  run: Recorded,
  look: Look,
  { from, to, width, speed }: { from: number; to: number; width: number; speed: Speed },
): Generator<Drawn> {
  const range = { from: cursorOf(run, from), to: cursorOf(run, to), width, speed, extent: 'whole' as const };
  if (range.from > range.to) throw new NotDrawn(say.stepsAre(run.timeline.moments.length));
  if (range.to - range.from >= MOST_STEPS) throw new NotDrawn(say.tooManySteps(MOST_STEPS));
  const scene = sceneAt(run, range.to, look.ops);
  if (!scene.drawn) throw new NotDrawn(say.nothingDrawn);
  const reel = new Reel({ run, shown: { scene, seen: null }, ...look }, range);
  for (const shot of reel.shots) {
    const pen = new SvgPen();
    reel.draw(pen.ctx, shot);
    const caption = captionAt(run, look.ops, shot.cursor);
    const svg = pen.document(reel.width, reel.height, look.styles, caption);
    const { width, height } = reel;
    yield { svg, width, height, step: shot.cursor + 1, caption, durationMs: shot.durationMs };
  }
}
