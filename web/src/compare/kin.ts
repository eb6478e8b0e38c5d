// Decides whether two programs are one program before and after an edit.

/** Programs with a smaller share of lines in common than this are two programs. */
export const KIN = 0.4;

/** Whether a program is another one after an edit: most lines of text are the same, in any order. */
export function isEditOf(before: string, after: string): boolean {
  const lines = (source: string) => source.split('\n').flatMap((line) => line.trim() || []);
  const [from, to] = [lines(before), lines(after)];
  const counts = new Map<string, number>();
  for (const line of from) counts.set(line, (counts.get(line) ?? 0) + 1);
  const common = to.filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left > 0;
  });
  return common.length > 0 && common.length >= KIN * Math.max(from.length, to.length);
}
