// The text that was edited since a run, kept for this tab: a reload shows it again, going back to the run does not.

const KEY = 'backscope.draft';

/** Keeps what the editor holds beside the run of a session; null where that is the run's own program. */
export function keepDraft(session: string | undefined, text: string | null): void {
  try {
    if (session === undefined || text === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify({ session, text }));
  } catch {
    // Without storage a reload brings back the program as it was run.
  }
}

/** What the editor held beside the run of this session, null where it was the run's own program. */
export function keptDraft(session: string): string | null {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    const kept = (found ?? {}) as { session?: unknown; text?: unknown };
    return kept.session === session && typeof kept.text === 'string' ? kept.text : null;
  } catch {
    return null;
  }
}
