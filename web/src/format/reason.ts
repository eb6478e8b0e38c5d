// The text of an error.

/** Return what an error says: its message, or the text of whatever else was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
