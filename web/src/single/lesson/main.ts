// The entry of a page that is one file with a lesson: lesson and recordings are read out of the document, and nothing is fetched.

import '../../widgets/held-storage';
import '../../theme/fonts';
import '../../theme/tokens.css';
import '../../theme/base.css';
import { mount } from 'svelte';
import * as say from '../../messages/lesson/recorded';
import type { Event } from '../../protocol/events';
import type { Lesson } from '../../protocol/lessons';
import type { OpEntry } from '../../run/api';
import { readTheme, theme } from '../../theme/theme.svelte';
import { expand } from '../../trace/compression';
import { readEvents } from '../../trace/trace-reading';
import { bytesOf } from '../document';
import Single from '../Single.svelte';
import { RecordedBench, type RecordedProgram } from './recorded-bench';

/** More than the largest page of a lesson has. */
const MOST_ABOUT_BYTES = 64 * 1024 ** 2;

type About = { lesson: Lesson; programs: { source: string; seed: number }[]; ops: OpEntry[]; theme?: string };

async function open(target: HTMLElement): Promise<void> {
  const [packed] = bytesOf('about');
  const about: About = JSON.parse(new TextDecoder().decode(await expand(packed!, 'gzip', MOST_ABOUT_BYTES)));
  const colours = readTheme(about.theme ?? null);
  if (colours) theme.show(colours);
  const traces = bytesOf('recording');
  const programs: RecordedProgram[] = [];
  for (const [i, program] of about.programs.entries()) {
    const events: Event[] = [];
    await readEvents(new Blob([traces[i]!], { type: 'application/gzip' }), (batch) => {
      for (const event of batch) events.push(event);
    });
    programs.push({ ...program, events });
  }
  const bench = new RecordedBench(about.lesson, programs);
  bench.catalogue.ops = about.ops;
  await bench.open(location.hash);
  target.replaceChildren();
  mount(Single, { target, props: { bench, name: about.lesson.title, trace: null, facts: say } });
}

const target = document.getElementById('app')!;
open(target).catch(() => {
  const message = document.createElement('p');
  message.textContent = say.isDamaged;
  target.replaceChildren(message);
});
