// A notebook's cell names the frame that a recording plays in, which says that it is one and which theme the notebook has.

import { theme } from '../theme/theme.svelte';

const NAME = /^backscope-cell:(light|dark)$/;
type Shown = 'light' | 'dark';

/** Whether the page plays in a notebook's cell; it then follows the notebook's theme. */
export function followCell(): boolean {
  const [, shown] = NAME.exec(window.name) ?? [];
  if (shown === undefined) return false;
  theme.show(shown as Shown);
  addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    const wanted = source === parent && typeof data === 'string' ? NAME.exec(data)?.[1] : undefined;
    if (wanted !== undefined) theme.show(wanted as Shown);
  });
  return true;
}
