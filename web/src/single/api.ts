// What the page in one file has in the place of the server's endpoints (one-file.ts): none, as it has no server.

export class ServerError extends Error {}

const refuse = (): Promise<never> => Promise.reject(new ServerError());

export {
  refuse as askPast,
  refuse as fetchAnswer,
  refuse as fetchExamples,
  refuse as fetchHealth,
  refuse as fetchOps,
  refuse as fetchQuestions,
  refuse as fetchTrace,
  refuse as postTrace,
};
