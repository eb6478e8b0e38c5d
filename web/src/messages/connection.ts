// What is said of the connection to a run.

export const theLinkHoldsACharacter = 'The link holds a character that no link of Backscope has.';
export const sendsTheProgramAndDelivers = 'sends the program and delivers its events to the end';
export const goesOnWhereItWas = 'goes on where it was after a lost connection';
export const asksAgainForEventsThat = 'asks again for events that are missing';
export const stopsAlsoWhenItWas = 'stops, also when it was not connected at that moment';
export const givesUpAfterManyAttempts = 'gives up after many attempts, with a reason';
export const hasNotAnswered = 'has not answered';
export const theServerWasNeverThere = 'the server was never there';
export const cannotBeReached = 'cannot be reached';
export const theServerRefusesThePage = 'the server refuses the page';
export const letsNoProgramIn = 'lets no program in';
export const saysSoWhenS = 'says so when %s';
export const passesOnWhatTheServer = 'passes on what the server says beside the events';
export const givesEachCommandItsId = 'gives each command its id and each answer to who asked';
export const connectionWasLost = 'connection was lost';
export const endsWithTheReasonAnd = 'ends with the reason and does not try again when closed with %i';
export const notNow = 'Not now.';
export const startsTheProgramOnceWhen = 'starts the program once when the answer to its start is lost';
export const saysSoWhenTheServer = 'says so when the server was killed and knows less than has arrived';
export const serverWasEnded = 'server was ended';
export const tellsThatTheRunIs = 'tells that the run is not on disk';
export const noRoom = 'No room.';
export const isSilentAfterItWas = 'is silent after it was closed';
export const followingASession = 'following a session';
export const beginsWithItsFirstEvent = 'begins with its first event';
export const endsAtOnceWhereThe = 'ends at once where the server refuses';
export const thereIsNoSessionGone = 'There is no session gone.';
export const thereIsNo = 'There is no';
export const triesAgainWhenABusy =
  'tries again when a busy server said to, under the same name, and tells for how long it waits';
export const theServerIsBusy = 'The server is busy.';
export const asksNoMoreOnceThe = 'asks no more once the reader does not wait any longer, nor for ever';
export const theProgramHasFinished = 'The program has finished.';
export const thereIsNoConnectionTo = 'There is no connection to the server at the moment.';
export const theRunWasLeft = 'The run was left.';
export const theServerWasEndedWhile = 'The server was ended while this program ran, and has started anew.';
export const theConnectionWasLostBefore = 'The connection was lost before the answer came.';
export const theServerHasNotAnswered =
  'The server has not answered for a while, so the rest of this run is missing. Run the program again.';
export const theConnectionWasLostReconnecting = 'The connection was lost. Reconnecting; nothing is missed.';
export const theServerLetsNoProgram =
  'The server lets no program in from this address. Open the one that it printed; behind a proxy, set its hops.';
export const theServerCannotBeReached =
  'The server cannot be reached, so the program did not start. Start it, then run again.';

export const eventIsMissing = (missing: number, came: number) =>
  `Event ${missing} is missing: event ${came} arrived in its place.`;
