// Texts for a server that does not give a value of the past.

import type { Said } from './said';

export const serverSilent = 'The server does not answer. Start it with `python3 server`, then try again.';
export const theServerAnswered = (status: Said) => `The server answered ${status}.`;
