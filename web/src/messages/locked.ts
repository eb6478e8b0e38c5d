// What the way in for those without the token says.

export const thisPageNeedsTheServer = "This page needs the server's token";
export const backscopeRunsProgramsOnThis =
  'Backscope runs programs on this machine, and other users of the machine can reach its address too. So it answers only those who know its token.';
export const openTheAddressThat = 'Open the address that';
export const printedInTheTerminalIt = 'printed in the terminal: it ends in';
export const orPasteThatAddressOr = '. Or paste that address, or the token, here:';
export const token = 'Token';
export const open = 'Open';
export const theAddressThatThisPage =
  'The address that this page was opened with works once, and it was used before or is too old.';
export const thatIsNotTheToken =
  'That is not the token of this server. It is another one if the server was started with other settings.';
export const a = 'A';
export const fileCanBeOpenedWithout = 'file can be opened without it: drop it on this page.';
