// The collected lesson that is open.

/** Its title, and what opens the sheet to share it where its name leads nowhere for others. */
export const openLecture = $state<{ title: string; share: (() => void) | null }>({ title: '', share: null });
