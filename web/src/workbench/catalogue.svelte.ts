// What the server offers to every program: examples, and the ops with their formulas.

import { type Example, fetchExamples, fetchOps, type OpEntry } from '../run/api';

export class Catalogue {
  examples = $state.raw<Example[]>([]);
  ops = $state.raw<OpEntry[]>([]);
  /** The example that was opened last, whatever became of its text. */
  opened = $state<string | null>(null);
  /** The example after it; null after the last one, and before any was opened. */
  readonly next = $derived.by(() => {
    const at = this.examples.findIndex(({ name }) => name === this.opened);
    return at < 0 ? null : (this.examples[at + 1] ?? null);
  });

  /** Fetches the ops in the background: without them everything but the formulas is still shown. */
  fetchOps(): void {
    fetchOps().then(
      (ops) => {
        this.ops = ops;
      },
      () => {},
    );
  }

  /** Fetches the examples; rejects with the server's error. */
  async fetchExamples(): Promise<void> {
    this.examples = await fetchExamples();
  }

  /** The example of a name; undefined where there is none. */
  example(name: string | null | undefined): Example | undefined {
    return this.examples.find((example) => example.name === name);
  }
}
