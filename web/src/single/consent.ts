// What the page in one file has in the place of drafts and of programs that were run (one-file.ts): it runs none.

export const keepDraft = (): void => {};
export const keptDraft = (): null => null;
export const consentText = (): string => '';
export const remember = async (): Promise<void> => {};
export const wasRun = async (): Promise<boolean> => false;
