// What the page in one file has in the place of a run that is followed (one-file.ts): it shows recordings, which are whole.

import type { Target } from '../scene/target';

export class Session {
  pending: null = null;
  selecting: Target | null = null;

  run(): void {}

  follow(): void {}

  stop(): void {}

  leave(): void {}

  ask(): Promise<never> {
    return Promise.reject(new Error());
  }
}
