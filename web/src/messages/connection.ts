// Texts about the connection to a run.

export const strangeLinkCharacter = 'The link holds a character that no link of Backscope has.';
export const theProgramHasFinished = 'The program has finished.';
export const noConnection = 'There is no connection to the server at the moment.';
export const theRunWasLeft = 'The run was left.';
export const serverRestarted = 'The server was ended while this program ran, and has started anew.';
export const lostBeforeAnswer = 'The connection was lost before the answer came.';
export const runTailMissing =
  'The server has not answered for a while, so the rest of this run is missing. Run the program again.';
export const reconnecting = 'The connection was lost. Reconnecting; nothing is missed.';
export const addressRefused =
  'The server lets no program in from this address. Open the one that it printed; behind a proxy, set its hops.';
export const programNotStarted =
  'The server cannot be reached, so the program did not start. Start it, then run again.';

export const eventMissing = (missing: number, came: number) =>
  `Event ${missing} is missing: event ${came} arrived in its place.`;
