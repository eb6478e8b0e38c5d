// Copying a link to the moment that is shown.

import * as say from '../messages/app';
import type { Workbench } from './workbench.svelte';

const SHOWN_MS = 2000;

/** A link in the clipboard; `copied` for as long as it is worth a word. */
export class Share {
  copied = $state(false);

  /** Copies the link, or puts it into the address bar where the browser lets nobody copy. */
  async copy(bench: Workbench): Promise<void> {
    const address = new URL(location.href);
    address.searchParams.delete('session');
    address.hash = await bench.link();
    try {
      await navigator.clipboard.writeText(address.href);
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
