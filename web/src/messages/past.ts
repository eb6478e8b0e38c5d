// What is said where the past cannot be asked.

import type { Said } from './said';

export const serverSilent = 'The server does not answer. Start it with `python3 server`, then try again.';
export const theServerAnswered = (status: Said) => `The server answered ${status}.`;
