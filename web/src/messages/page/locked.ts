// Texts of the page that asks for the server's token.

export const needsToken = "This page needs the server's token";
export const whyToken =
  'Backscope runs programs on this machine, and other users of the machine can reach its address too. So it answers only those who know its token.';
export const openTheAddressThat = 'Open the address that';
export const printedEndsIn = 'printed in the terminal: it ends in';
export const orPaste = '. Or paste that address, or the token, here:';
export const token = 'Token';
export const open = 'Open';
export const addressUsed =
  'The address that this page was opened with works once, and it was used before or is too old.';
export const wrongToken =
  'That is not the token of this server. It is another one if the server was started with other settings.';
export const aFile = 'A';
export const traceWithoutToken = 'file can be opened without it: drop it on this page.';
