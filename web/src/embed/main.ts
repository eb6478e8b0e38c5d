// The entry of the view that other pages show in a frame: its first picture, then the player.

import '../widgets/held-storage';
import '../theme/tokens.css';
import '../theme/base.css';
import './first.css';
import { showFirst } from './first';

const target = document.getElementById('app')!;

/** Shows the graph before the player and the typefaces are fetched. */
async function begin(): Promise<void> {
  // An address that cannot be read is reported by the player, too.
  const first = await showFirst(target, location.hash).catch(() => null);
  const { start } = await import('./start').catch((error: unknown) => {
    // What the page has for blocked scripts is said at once, where the picture was.
    first?.remove();
    target.dataset.lost = '';
    throw error;
  });
  target.replaceChildren();
  start(target, first);
}

// Not awaited: the player's files import from this one, and would wait for it.
void begin();
