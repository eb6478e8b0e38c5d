// Starts the player of a frame.

import '../theme/fonts';
import { mount } from 'svelte';
import Embed from './Embed.svelte';
import type { First } from './first';

/** Mounts the player, which takes over what the first picture was drawn from. */
export function start(target: HTMLElement, first: First | null): void {
  mount(Embed, { target, props: { first } });
}
