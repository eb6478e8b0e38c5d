// Copies a link to the place that is shown.

import type { Workbench } from '../workbench.svelte';

const SHOWN_MS = 2000;

/** Fetches the module that copies a link and says where it leads. */
export const linkCopy = () => import('./link-copy');

/** A link in the clipboard; `copied` for as long as it is worth a word. */
export class Share {
  copied = $state(false);

  /** Copies the link, or puts it into the address bar where the browser does not let a page copy. */
  async copy(bench: Workbench): Promise<void> {
    if (!(await (await linkCopy()).copyLink(bench))) return;
    this.copied = true;
    setTimeout(() => {
      this.copied = false;
    }, SHOWN_MS);
  }
}

export const share = new Share();
