// Puts a link into the clipboard, and says where it leads and who cannot follow it.

import { counted } from '../../format/number';
import { reasonOf } from '../../format/reason';
import * as say from '../../messages/page/copied';
import { panels } from '../../widgets/panels.svelte';
import { type Notice, problemNotice } from '../notice';
import type { Workbench } from '../workbench.svelte';
import { MOST_SOURCE_BYTES } from './link';
import type { ShortLink } from './short-link';

/** What says no more than that it is done is taken away again. */
const TOLD_MS = 6000;
/** Longer links are cut by some mail programs and messengers, in characters. */
export const SAFE_LENGTH = 8000;

/** Of the collected lesson that is open: its title, and what opens the sheet to share it where its name leads only here. */
export const openLecture: { title: string; share: (() => void) | null } = { title: '', share: null };

// Those that copy a link copy such HTML too: in one file with it, they add no name to the page's first download.
export { elementOf, frameOf, LESSON_HEIGHT, RUN_HEIGHT } from './snippet';

/** Copies the link of a page, or opens the sheet of a lesson that needs one; false where the browser does not let a page copy, or where there is no link. */
export async function copyLink(bench: Workbench): Promise<boolean> {
  if (openLecture.share) {
    openLecture.share();
    return false;
  }
  const { offeredShortLink } = await import('./short-link');
  let why = '';
  try {
    const short = await offeredShortLink(bench);
    if (short) return await copyShort(bench, short);
  } catch (error) {
    why = say.noShortLink(reasonOf(error));
  }
  const address = new URL(location.href);
  address.searchParams.delete('session');
  if (bench.draft.length > MOST_SOURCE_BYTES / 4 && new Blob([bench.draft]).size > MOST_SOURCE_BYTES) {
    bench.notice = { tone: 'error', text: say.tooLongForLink };
    return false;
  }
  address.hash = await bench.link();
  try {
    await navigator.clipboard.writeText(address.href);
  } catch {
    history.replaceState(null, '', address);
    bench.notice = { tone: 'plain', text: say.copyRefused };
    return false;
  }
  announce(bench, address.href.length, why);
  return true;
}

/** Copies a short link, says how long it is kept, and offers to remove it. */
async function copyShort(bench: Workbench, short: ShortLink): Promise<boolean> {
  const copied = await navigator.clipboard.writeText(short.href).then(
    () => true,
    () => false,
  );
  const step = counted(Math.max(0, bench.run?.cursor ?? 0) + 1);
  const text = [
    copied ? say.theShortLinkIsCopied(step) : say.copyByHand(short.href),
    say.recordingIsKept(short.days),
    isOwn(location.hostname) ? say.nobodyElseCanOpenIt(location.host) : '',
  ];
  bench.notice = { tone: 'plain', text: text.filter(Boolean).join(' '), action: removal(bench, short.id) };
  return copied;
}

/** The offer to remove a short link. */
function removal(bench: Workbench, id: string): NonNullable<Notice['action']> {
  const remove = async () => {
    const { removeShortLink } = await import('./short-link');
    await removeShortLink(id);
    bench.notice = { tone: 'plain', text: say.linkRemoved };
  };
  return {
    label: say.removeTheLink,
    run: () => {
      remove().catch((error: unknown) => {
        bench.notice = problemNotice(error);
      });
    },
  };
}

/** Says that a short link has led here; who made it is offered to remove it, others to run the program. */
export async function welcome(bench: Workbench, id: string): Promise<void> {
  const { isOwnLink } = await import('./short-link');
  bench.notice = isOwnLink(id)
    ? { tone: 'plain', text: say.yourRecording, action: removal(bench, id) }
    : { tone: 'plain', text: say.aRecording, action: { label: say.runLive, run: () => void bench.runLive() } };
}

/** Says where the link leads, and who cannot follow it; `why` says why it is not a short one. */
function announce(bench: Workbench, length: number, why: string): void {
  const step = bench.run && !bench.lesson ? bench.run.cursor + 1 : 0;
  const copied = step > 0 ? say.theLinkToStepIsCopied(counted(step)) : say.theLinkIsCopied;
  const file = { label: say.exportTheFile, run: () => panels.callExports() };
  const reasons = [
    why,
    isOwn(location.hostname) ? say.nobodyElseCanOpenIt(location.host) : '',
    length > SAFE_LENGTH ? say.theLinkIsLong(counted(length)) : '',
  ].filter(Boolean);
  if (reasons.length > 0) {
    const text = [copied, ...reasons, say.exportHasAFile].join(' ');
    const hasRun = bench.run !== null && bench.run.length > 0;
    bench.notice = { tone: 'plain', text, ...(hasRun ? { action: file } : {}) };
    return;
  }
  const notice: Notice = { tone: 'plain', text: copied };
  bench.notice = notice;
  setTimeout(() => {
    if (bench.notice === notice) bench.notice = null;
  }, TOLD_MS);
}

/** Whether an address means the machine that one sits at. */
export function isOwn(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname);
}
