// Writes lengths of time and places in a line as people say them.

/** A length of time: 30 s, 10 minutes, 1 hour. */
export function span(seconds: number): string {
  for (const [unit, size] of [
    ['hour', 3600],
    ['minute', 60],
  ] as const) {
    const count = seconds / size;
    if (count >= 1 && Number.isInteger(count)) return `${count} ${unit}${count === 1 ? '' : 's'}`;
  }
  return `${Math.max(0, Math.ceil(seconds))} s`;
}

/** A place: 1st, 2nd, 3rd, 11th. */
export function ordinal(place: number): string {
  const tens = place % 100;
  const ending = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th');
  return `${place}${ending}`;
}
