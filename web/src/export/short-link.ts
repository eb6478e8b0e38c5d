// Short links: the server keeps the recording of a run, and this browser the secret by which it can be removed.

import { request } from '../run/api';
import { isGone, lend, sessionOf } from '../run/lent';
import type { Run } from '../run/run.svelte';

const KEY = 'backscope.shared';
/** The links of which this browser keeps the secrets; older ones expire. */
const MOST = 200;

export type ShortLink = { id: string; href: string; days: number };
type Kept = { share: string; path: string; secret: string; seconds: number };

function post(path: string, body: object): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return request(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Has the server keep a run that is over, to be opened at a step; a server that does not have it gets its recording first. */
export async function makeShortLink(run: Run, step: number, title: string): Promise<ShortLink> {
  const share = async (session: string): Promise<Kept> =>
    (await post('/api/shares', { session, step, title: title.slice(0, 200) })).json();
  const session = sessionOf(run);
  let kept: Kept;
  try {
    kept = await share(session ?? (await lend(run)));
  } catch (error) {
    if (!session || !isGone(error)) throw error;
    run.forgotten = true;
    run.lent = null;
    kept = await share(await lend(run));
  }
  const secrets = secretsOf();
  secrets[kept.share] = [...(secrets[kept.share] ?? []), kept.secret];
  keepSecrets(secrets);
  return {
    id: kept.share,
    href: new URL(kept.path, location.origin).href,
    days: Math.round(kept.seconds / 86_400),
  };
}

/** Has the server remove what this browser shared under an id. */
export async function removeShortLink(id: string): Promise<void> {
  const secrets = secretsOf();
  for (const secret of secrets[id] ?? []) {
    try {
      await post(`/api/shares/${encodeURIComponent(id)}/removal`, { secret });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  delete secrets[id];
  keepSecrets(secrets);
}

/** Whether the server keeps runs for links. */
export async function keepsRuns(): Promise<boolean> {
  return (await (await request('/api/health')).json()).keeps_runs === true;
}

function secretsOf(): Record<string, string[]> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}');
  } catch {
    return {};
  }
}

function keepSecrets(secrets: Record<string, string[]>): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(Object.entries(secrets).slice(-MOST))));
  } catch {
    // Without a store the link cannot be removed from here, and expires.
  }
}
