// What the page in one file has in the place of a connection (one-file.ts): nothing, as it shows a recording.

function refuse(): never {
  throw new Error();
}

export const RunConnection = { run: refuse, follow: refuse };
