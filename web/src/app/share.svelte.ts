// Copying a link to the moment that is shown.

import { counted } from '../caption/number';
import * as say from '../messages/app';
import { MOST_SOURCE_BYTES } from './link';
import type { Workbench } from './workbench.svelte';

const SHOWN_MS = 2000;
/** Longer links are cut by some mail programs and messengers. */
const SAFE_LENGTH = 8000;

/** A link in the clipboard; `copied` for as long as it is worth a word. */
export class Share {
  copied = $state(false);

  /** Copies the link, or puts it into the address bar where the browser lets nobody copy. */
  async copy(bench: Workbench): Promise<void> {
    const address = new URL(location.href);
    address.searchParams.delete('session');
    if (bench.draft.length > MOST_SOURCE_BYTES / 4 && new Blob([bench.draft]).size > MOST_SOURCE_BYTES) {
      bench.notice = { tone: 'error', text: say.theProgramIsTooLong };
      return;
    }
    address.hash = await bench.link();
    const { length } = address.href;
    try {
      await navigator.clipboard.writeText(address.href);
      if (length > SAFE_LENGTH) bench.notice = { tone: 'plain', text: say.theLinkIsLong(counted(length)) };
      this.copied = true;
      setTimeout(() => {
        this.copied = false;
      }, SHOWN_MS);
    } catch {
      history.replaceState(null, '', address);
      bench.notice = { tone: 'plain', text: say.theBrowserDoesNotLet };
    }
  }
}

export const share = new Share();
