// Whether a program can be run by the page, which sends the server one file.

import * as say from '../messages/files';
import type { Event } from '../protocol/events';
import type { EventLog } from '../store/log';

/** The name of the main file, by the first event of a run. */
export function mainName(first: Event | undefined): string {
  return (first?.kind === 'program_started' && first.filename.split('/').at(-1)) || say.main;
}

/** Why the page cannot run a program: it imports some of the other files of a run; null where it imports none. */
export function whyNotHere(source: string, log: Pick<EventLog, 'at' | 'files'>): string | null {
  const modules = new Set([...source.matchAll(/^[ \t]*(?:from|import)[ \t]+(\w+)/gm)].map(([, name]) => name));
  const imported = log.files.all.filter(({ name }) => modules.has(name.split('/')[0]!.replace(/\.py$/, '')));
  if (imported.length === 0) return null;
  return say.importsOthers(imported.map(({ name }) => name).join(', '), mainName(log.at(0)));
}
