// The first picture of a frame: graph and caption of the moment that its address names, drawn before the player is fetched.

import { sentence } from '../caption/caption';
import { MirrorLayout } from '../layout/mirror';
import { Slices } from '../layout/pace/slices';
import { fetchLessonAhead } from '../learn/shelf';
import { fetchPacked, unpackFound } from '../lecture/packed';
import * as say from '../messages/embed';
import * as app from '../messages/page/app';
import { StageRenderer } from '../renderer/canvas';
import { readTokens } from '../renderer/tokens';
import { type Example, fetchExamples } from '../run/api';
import { buildScene } from '../scene/scene';
import { buttonRoom } from '../stage/view/button-room';
import { EventLog } from '../store/log';
import { Timeline } from '../timeline/timeline';
import { expand } from '../trace/compression';
import { complete } from '../trace/trace-format';
import { RunConnection } from '../transport/connection';
import { isLecture, readLink } from '../workbench/link/link';
import { heightOf, NARROW, sendHeight } from './height';
import { readWanted, type Wanted } from './request';

/** What was fetched for the picture, which the player takes over; `remove` takes the picture away. */
export type First = {
  subject: string;
  example: Example | null;
  /** The session of the example's run. */
  session: string | null;
  remove(): void;
};

/** A longer run is left to the player, which follows it in slices. */
const MOST_EVENTS = 5000;
const MOST_TRACE_BYTES = 300_000;
const MOST_TEXT_BYTES = 8_000_000;
const MOST_TITLE = 200;
/** From this width on the player has room for the names of saved tensors, in CSS pixels. */
const WIDE = 1360;

/** Draws what a frame's address names after `target`; where that fails, the player says why. */
export async function showFirst(target: HTMLElement, fragment: string): Promise<First> {
  const wanted = await readWanted(fragment);
  const dark = wanted.theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : wanted.theme === 'dark';
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  const picture = new Picture(target, wanted.lesson !== null);
  const first: First = {
    subject: wanted.subject,
    example: null,
    session: null,
    remove: () => picture.remove(),
  };
  try {
    await fill(picture, wanted, first);
  } catch {
    picture.remove();
  }
  return first;
}

async function fill(picture: Picture, wanted: Wanted, first: First): Promise<void> {
  const { lesson, trace, example, source, moment } = wanted;
  if (lesson !== null && isLecture({ name: lesson, page: 1 })) {
    picture.write(await titleOf(lesson), say.lecture);
    return;
  }
  if (lesson !== null) {
    const { title, goal } = await fetchLessonAhead(lesson);
    picture.write(title, goal);
    return;
  }
  const { at } = await readLink(moment);
  if (trace) {
    await picture.draw(await timelineOf(trace), at);
  } else if (example !== null) {
    first.example = (await fetchExamples()).find(({ name }) => name === example) ?? null;
    if (!first.example) throw new Error(example);
    const { timeline, session } = await run(first.example.source, at);
    first.session = session;
    await picture.draw(timeline, at);
  } else if (source !== null) picture.write(app.backscope, source);
}

/** The title of a collected lesson. */
async function titleOf(name: string): Promise<string> {
  const { title } = (await unpackFound(await fetchPacked(name))) as { title: unknown };
  return typeof title === 'string' && title.trim() !== '' ? title.slice(0, MOST_TITLE) : app.backscope;
}

/** The timeline of a short trace; the player checks it and says what is wrong with it. */
async function timelineOf(trace: Blob): Promise<Timeline> {
  if (trace.size > MOST_TRACE_BYTES) throw new Error();
  const text = new TextDecoder().decode(await expand(trace, 'gzip', MOST_TEXT_BYTES));
  const lines = text.split('\n').filter((line) => line !== '');
  const log = new EventLog();
  log.append(lines.slice(1, MOST_EVENTS + 2).map((line) => complete(JSON.parse(line))));
  return new Timeline(log);
}

/** Runs a program of the server's until it ends or the moment is there; rejects where it does not run at once. */
function run(source: string, at: number | null): Promise<{ timeline: Timeline; session: string | null }> {
  const log = new EventLog();
  const timeline = new Timeline(log);
  return new Promise((resolve, reject) => {
    let session: string | null = null;
    const connection = RunConnection.run(
      { source },
      {
        events: (batch) => {
          log.append(batch);
          const isEnough = log.length > MOST_EVENTS || (at !== null && timeline.moments.length > at + 1);
          if (!isEnough && !log.finished) return;
          connection.close();
          resolve({ timeline, session });
        },
        status: (status) => {
          session = status.session ?? session;
          if (status.state !== 'ended') return;
          if (status.refused || log.length === 0) reject(new Error(status.reason ?? ''));
          else resolve({ timeline, session });
        },
        notices: (now) => {
          if (now.length === 0) return;
          connection.close();
          reject(new Error());
        },
      },
    );
  });
}

class Picture {
  readonly #root = document.createElement('div');
  #renderer: StageRenderer | null = null;
  #watcher: ResizeObserver | null = null;

  constructor(
    target: HTMLElement,
    readonly teaches: boolean,
  ) {
    this.#root.className = 'first-picture';
    this.#root.ariaHidden = 'true';
    target.after(this.#root);
    this.#announce(null);
  }

  /** Writes a heading and a text, where there is no moment to draw. */
  write(heading: string, text: string): void {
    const [title, words] = ['strong', 'pre'].map((name) => document.createElement(name));
    title!.textContent = heading;
    words!.textContent = text;
    const below = document.createElement('div');
    below.className = 'first-text';
    below.append(title!, words!);
    this.#root.append(document.createElement('div'), below);
  }

  /** Draws the moment `at`, or the one before the first backward pass, with its sentence below. */
  async draw(timeline: Timeline, at: number | null): Promise<void> {
    if (timeline.log.length > MOST_EVENTS || timeline.moments.length === 0) throw new Error();
    const before = timeline.nextBackward(0);
    const cursor = Math.min(at ?? (before ?? timeline.moments.length) - 1, timeline.moments.length - 1);
    const slim = innerHeight < innerWidth ? 'slim' : 'upright';
    const breadth = innerWidth < NARROW ? slim : innerWidth < WIDE ? 'narrow' : 'wide';
    const layout = new MirrorLayout(timeline.log, new Slices({ whole: true }), breadth);
    const state = timeline.stateAt(cursor);
    const scene = buildScene(state, layout, { selection: null, hover: null }, null);
    const canvas = document.createElement('canvas');
    const caption = document.createElement('p');
    const moment = timeline.moments[cursor];
    caption.textContent = moment ? sentence(state, moment, timeline.log) : '';
    const upper = document.createElement('div');
    upper.append(canvas, caption);
    this.#root.append(upper);
    const renderer = new StageRenderer(canvas, () => readTokens(canvas));
    // As of a run in the player: without a link to a step, all of a graph is shown smaller before it is cut.
    renderer.camera.opening = at === null;
    this.#renderer = renderer;
    renderer.setScene(scene);
    this.#watcher = new ResizeObserver(() => {
      renderer.resize();
      renderer.camera.narrow = innerWidth < NARROW;
      const { aside, below } = buttonRoom(canvas.clientWidth, innerWidth);
      Object.assign(renderer.camera, { aside, below });
      renderer.refit();
    });
    this.#watcher.observe(canvas);
    layout.close();
    this.#announce(scene.layout.bounds);
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    this.#root.dataset.drawn = '';
  }

  #announce(bounds: Parameters<typeof heightOf>[0]['bounds']): void {
    const height = heightOf({ width: innerWidth, teaches: this.teaches, bounds });
    if (innerWidth > 0) sendHeight(height);
  }

  remove(): void {
    this.#watcher?.disconnect();
    this.#renderer?.destroy();
    this.#root.remove();
  }
}
