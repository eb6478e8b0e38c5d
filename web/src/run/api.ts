// The server's REST endpoints that the page uses: its health, examples, the op catalogue, traces, questions about runs.

import * as say from '../messages/page/app';
import type { Command, Diagnosis, Answer as Told } from '../protocol/events';
import type { Inquiry, Subject } from './subject';

export type Example = { name: string; title: string; summary: string; source: string };
export type OpEntry = {
  name: string;
  grad_fn: string | null;
  symbol: string | null;
  /** Each element of its result is made of the elements at the same place, after broadcasting. */
  elementwise: boolean;
  latex: Record<string, string>;
  /** Where the values in its formulas are complex, their conjugates are meant. */
  conjugates: boolean;
  summary: Record<string, string>;
};

/** A request that failed; the message says what and what to do. */
export class ServerError extends Error {
  constructor(
    message: string,
    /** The status that the server answered with; none where it did not answer. */
    readonly status: number | null = null,
  ) {
    super(message);
  }
}

/** A question that the server can answer. */
export type Question = { key: string; text: string; about: Subject };
export type Answer = Diagnosis;

/** How often a request is made again that came too soon after others, and how long that may take, in seconds. */
const MOST_TRIES = 3;
const PATIENCE_SECONDS = 30;

/** Returns the server's answer to a request; rejects with a ServerError where there is none, or one that is no success. */
export async function request(path: string, init?: RequestInit, tries = 1): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new ServerError(say.serverSilent);
  }
  if (response.ok) return response;
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN);
  if (response.status === 429 && wait <= PATIENCE_SECONDS && tries < MOST_TRIES) {
    await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    return request(path, init, tries + 1);
  }
  const body = await response.json().catch(() => null);
  throw new ServerError(body?.error?.message ?? say.theServerAnsweredTo(response.status, path), response.status);
}

/** What the server says of itself. */
export type Health = {
  /** There are walls around the programs that it runs; null while no worker of a fleet is known. */
  sandboxed: boolean | null;
  /** It keeps runs for short links, and the button for links makes such. */
  keeps_runs: boolean;
  short_links: boolean;
  /** It has pages about what it keeps, and its terms. */
  hosted: boolean;
};

export async function fetchHealth(): Promise<Health> {
  return (await request('/api/health')).json();
}

/** The example programs, the first one to open with first. */
export async function fetchExamples(): Promise<Example[]> {
  return (await request('/api/examples')).json();
}

/** The catalogue of ops: formulas and sentences of their backward. */
export async function fetchOps(): Promise<OpEntry[]> {
  return (await request('/api/ops')).json();
}

/** The trace file of a session; rejects when `signal` calls it off. */
export async function fetchTrace(session: string, signal?: AbortSignal): Promise<Blob> {
  return (await request(`/api/sessions/${encodeURIComponent(session)}/trace`, { signal: signal ?? null })).blob();
}

/** Opens a trace at the server; the id of the session that it is there. */
export async function postTrace(trace: Blob): Promise<string> {
  return (await (await request('/api/traces', { method: 'POST', body: trace })).json()).session;
}

function asked(session: string, what: string, seq: number, { tensor, node }: Subject, key?: string): string {
  const fields = new URLSearchParams({ seq: String(seq) });
  if (key !== undefined) fields.set('key', key);
  if (tensor !== null) fields.set('tensor', String(tensor));
  if (node !== null) fields.set('node', String(node));
  return `/api/sessions/${encodeURIComponent(session)}/${what}?${fields}`;
}

/** What can be asked about a subject after an event of a run. */
export async function fetchQuestions(session: string, seq: number, about: Subject): Promise<Question[]> {
  return (await (await request(asked(session, 'questions', seq, about))).json()).questions;
}

/** The answer to a question. */
export async function fetchAnswer(session: string, { key, about, seq }: Inquiry): Promise<Answer> {
  return (await request(asked(session, 'why', seq, about, key))).json();
}

type Unnumbered<C> = C extends unknown ? Omit<C, 'id'> : never;

/** What the program of a session answers to a command that looks, right after an event; it is run again for that. */
export async function askPast(session: string, seq: number, command: Unnumbered<Command>): Promise<Told> {
  const response = await request(`/api/sessions/${encodeURIComponent(session)}/ask`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ seq, command }),
  });
  return (await response.json()).answer;
}
