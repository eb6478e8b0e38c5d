// What reading and writing trace files share; apart from both, because the page writes and a worker of its own reads.

export const TRACE_VERSION = 1;

/** A trace file that cannot be shown; the message says why, where and what to do. */
export class TraceFileError extends Error {}
