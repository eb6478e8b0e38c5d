// What the page in one file has in the place of a connection (vite.single.config.ts): it shows a recording, without a server.

function refuse(): never {
  throw new Error('A page in one file has no server.');
}

export const RunConnection = { run: refuse, follow: refuse };
