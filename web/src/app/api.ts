// The server's REST endpoints that the page reads: examples, the op catalogue, limits, a session's trace.

export type Example = { name: string; title: string; summary: string; source: string };
export type OpEntry = {
  name: string;
  grad_fn: string | null;
  symbol: string | null;
  latex: Record<string, string>;
  summary: Record<string, string>;
};

/** A request that failed; the message says what and what to do. */
export class ServerError extends Error {}

async function get(path: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path);
  } catch {
    throw new ServerError('The server does not answer. Start it with `python3 server`, then run the program again.');
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  throw new ServerError(body?.error?.message ?? `The server answered ${response.status} to ${path}.`);
}

/** The example programs, the first one to open with first. */
export async function fetchExamples(): Promise<Example[]> {
  return (await get('/api/examples')).json();
}

/** The catalogue of ops: formulas and sentences of their backward. */
export async function fetchOps(): Promise<OpEntry[]> {
  return (await get('/api/ops')).json();
}

/** The trace file of a session. */
export async function fetchTrace(session: string): Promise<Blob> {
  return (await get(`/api/sessions/${encodeURIComponent(session)}/trace`)).blob();
}
