// Thins out numbers beside each other where not all have room: every second, fifth, tenth…

/** Where a number is, and what room it takes from there on, in pixels. */
export type Numbered = { number: number; x: number; room: number };

const STRIDES = [1, 2, 5, 10, 20, 50, 100];

/** The numbers that have room, `end` is where that of the last one ends; none where not even every hundredth has. */
export function thinned<N extends Numbered>(marks: readonly N[], end: number): N[] {
  const every = (stride: number) => marks.filter(({ number }) => number === 1 || number % stride === 0);
  // A number that is shown in place of others beside it has more room around it.
  const shown = STRIDES.map(every).find((some, i) => areClear(some, i === 0 ? 1 : 2));
  let free = Number.NEGATIVE_INFINITY;
  return (shown ?? []).filter((mark, i, all) => {
    if (mark.x < free || roomAt(all, i, end) < mark.room) return false;
    free = mark.x + mark.room;
    return true;
  });
}

/** The last one has the room of the one before it: where it ends is not known. */
function roomAt(marks: readonly Numbered[], i: number, end: number): number {
  const { x } = marks[i]!;
  return (marks[i + 1]?.x ?? (i > 0 ? 2 * x - marks[i - 1]!.x : end)) - x;
}

/** Whether nearly all have so many times the room that they take: some rounds are shorter than others. */
function areClear(marks: readonly Numbered[], times: number): boolean {
  const cramped = marks.filter(({ x, room }, i) => i + 1 < marks.length && marks[i + 1]!.x - x < times * room).length;
  return cramped <= marks.length / 4;
}
