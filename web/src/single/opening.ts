// What the page in one file has in the place of other recordings that a page opens (one-file.ts): it shows its own.

export const opening = { file: null };

export class StageTrace {
  choose: null = null;

  cancel(): void {}
}
