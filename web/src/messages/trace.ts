// Texts about trace files that cannot be shown.

import type { Said } from './said';

export const copyAgain = 'Copy the file again, or record the run again.';
export const notGzipped = 'This file is not a Backscope trace: it is not gzipped.';
export const noHeader = 'This file is not a Backscope trace: its first line is not a trace header.';
export const otherVersion = (trace: Said, protocol: Said, TRACE_VERSION: Said) =>
  `This trace is of version ${trace} with protocol ${protocol}; this page reads version ${TRACE_VERSION} with `;
export const otherProtocol = (PROTOCOL_VERSION: Said) =>
  `protocols up to ${PROTOCOL_VERSION}. Open it with the Backscope that wrote it, or run its program again.`;
export const tooManyEvents = (count: Said) => `This trace holds more than ${count} events, too many to show.`;
export const eventNotJson = (number: Said, again: Said) =>
  `Event ${number} of this trace is not JSON: the file is damaged. ${again}`;
export const eventOfThisTrace = (number: Said, reason: Said, again: Said) =>
  `Event ${number} of this trace ${reason}. ${again}`;
export const eventOutOfOrder = (number: Said, seq: Said, again: Said) =>
  `Event ${number} of this trace has seq ${seq}: events are missing or doubled. ${again}`;
export const eventAfterEnd = (number: Said, again: Said) =>
  `Event ${number} of this trace comes after the end of the program. ${again}`;
export const unpacksTooLarge = (bytes: Said) =>
  `This trace unpacks to more than ${bytes} MB, which is too much to show.`;
export const isNotUtf8Text = (place: Said, again: Said) => `${place} is not UTF-8 text: the file is damaged. ${again}`;
export const lineTooLong = (place: Said, line: Said) => `${place} is longer than ${line} MB, which no event is.`;
export const firstLine = 'The first line of this file';
export const eventNear = (count: Said) => `Event ${count} of this trace, or one near it,`;
export const damagedNear = (max: Said, again: Said) =>
  `This trace is damaged at or after event ${max}: its bytes are not those that were written. ${again}`;
export const endsInHeader = 'This file is not a Backscope trace: it ends before its first line does.';
export const noEvents = 'This trace holds no events. Record the run again.';
export const unreadable = 'This trace cannot be read: it holds something that no trace does.';
export const outOfMemory = 'This trace cannot be read: it does not fit into memory.';
export const expandsTooLarge = (most: Said) => `It expands to more than ${most} bytes.`;
/** Continues "Event 3 …". */
export const isNotAnObject = 'is not a JSON object';
export const isOfAnUnknownKind = 'is of a kind that this page does not know';
export const hasAWrongValueAt = (place: Said) => `has a wrong or missing value at ${place}`;
