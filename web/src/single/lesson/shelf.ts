// What the page of a lesson has in the place of a server's lessons (vite.lesson.config.ts): no verdict on a change.

export const fetchVerdict = (): Promise<never> => Promise.reject(new Error());
