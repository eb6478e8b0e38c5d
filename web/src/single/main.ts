// The entry of a page that is one file: its recording is read out of the document, and nothing is fetched.

import '../widgets/held-storage';
import '../theme/fonts';
import '../theme/tokens.css';
import '../theme/base.css';
import { mount, unmount } from 'svelte';
import { readAbout } from '../export/recording-facts';
import * as say from '../messages/export';
import type { Event } from '../protocol/events';
import { readTheme, theme } from '../theme/theme.svelte';
import { expand } from '../trace/compression';
import { readEvents } from '../trace/trace-reading';
import { Workbench } from '../workbench/workbench.svelte';
import Cell from './Cell.svelte';
import { followCell } from './cell';
import { bytesOf } from './document';
import { followWidget } from './live.svelte';
import Single from './Single.svelte';

/** More than what a page brings along beside its trace. */
const MOST_ABOUT_BYTES = 16 * 1024 ** 2;

async function open(target: HTMLElement): Promise<void> {
  const about = readAbout(new TextDecoder().decode(await expand(bytesOf('about')[0]!, 'gzip', MOST_ABOUT_BYTES)));
  const trace = new Blob(bytesOf('recording'), { type: 'application/gzip' });
  const events: Event[] = [];
  if (!about.live) {
    await readEvents(trace, (batch) => {
      for (const event of batch) events.push(event);
    });
  }
  const bench = new Workbench(false);
  bench.catalogue.ops = about.ops;
  const colours = readTheme(new URLSearchParams(about.fragment).get('theme'));
  if (colours) theme.show(colours);
  target.replaceChildren();
  const page = followCell()
    ? mount(Cell, { target, props: { bench } })
    : mount(Single, { target, props: { bench, name: about.name, trace } });
  if (about.live) {
    followWidget(bench, (error) => void unmount(page).then(() => refuse(target, error)));
    return;
  }
  try {
    const at = await bench.opening.showRecording(events, location.hash || about.fragment);
    const steps = bench.run?.length ?? 0;
    if (at !== null && at >= steps) bench.notice = { tone: 'plain', text: say.thisRunHasSteps(steps, at + 1) };
  } catch (error) {
    await unmount(page);
    throw error;
  }
}

function refuse(target: HTMLElement, error: unknown): void {
  const message = document.createElement('p');
  message.textContent = error instanceof Error ? error.message : say.theRecordingIsDamaged;
  target.replaceChildren(message);
}

const target = document.getElementById('app')!;
open(target).catch((error: unknown) => refuse(target, error));
