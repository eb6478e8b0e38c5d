// Puts a link into the clipboard, and says where it leads and who cannot follow it.

import { counted } from '../../format/number';
import * as say from '../../messages/page/copied';
import { panels } from '../../widgets/panels.svelte';
import type { Notice } from '../notice';
import type { Workbench } from '../workbench.svelte';
import { MOST_SOURCE_BYTES } from './link';

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
  announce(bench, address.href.length);
  return true;
}

/** Says where the link leads, and who cannot follow it. */
function announce(bench: Workbench, length: number): void {
  const step = bench.run && !bench.lesson ? bench.run.cursor + 1 : 0;
  const copied = step > 0 ? say.theLinkToStepIsCopied(counted(step)) : say.theLinkIsCopied;
  const file = { label: say.exportTheFile, run: () => panels.callExports() };
  const reasons = [
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
