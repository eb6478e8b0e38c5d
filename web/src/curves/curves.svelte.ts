// The curves of watched expressions, fetched when the run has ended by one more run of the program for all new ones.

import { reasonOf } from '../format/reason';
import * as say from '../messages/timeline/curves';
import { type CurvePart, readCurves } from '../run/past';
import type { Run } from '../run/run.svelte';
import { Curve } from './curve';

/** The state of an expression: `share` of the run has been evaluated; `refusal` says why no more will be. */
export type Watched = { curve: Curve; share: number; refusal: string | null; done: boolean };

const AT_ONCE = 16;

/** The curves of one run; `revision` counts what came, so that what draws them is derived again. */
export class Curves {
  revision = $state(0);
  readonly #known = new Map<string, Watched>();
  readonly #asking = new Map<AbortController, readonly Watched[]>();

  constructor(readonly run: Run) {}

  of(expression: string): Watched | null {
    this.revision;
    return this.#known.get(expression) ?? null;
  }

  /** Asks for what is not known yet, in one run of the program; the run that is shown has ended. */
  ask(expressions: readonly string[]): void {
    const { session } = this.run.connection;
    const wanted = expressions.filter((expression) => !this.#known.has(expression)).slice(0, AT_ONCE);
    if (wanted.length === 0) return;
    const watched = wanted.map((): Watched => ({ curve: new Curve(), share: 0, refusal: null, done: false }));
    for (const [index, expression] of wanted.entries()) this.#known.set(expression, watched[index]!);
    this.revision += 1;
    if (!session) {
      const reason = say.runNotAtServer;
      this.#end(watched, say.openTraceAtServer(reason));
      return;
    }
    const stop = new AbortController();
    this.#asking.set(stop, watched);
    readCurves(session, wanted, (part) => this.#take(watched, part), stop.signal)
      .catch((error) => {
        if (!stop.signal.aborted) this.#end(watched, reasonOf(error));
      })
      .finally(() => this.#asking.delete(stop));
  }

  /** Asks again for one that was refused. */
  retry(expression: string): void {
    this.#known.delete(expression);
    this.ask([expression]);
  }

  /** Stops the run of the program that evaluates one, and whatever else is evaluated in it. */
  cancel(expression: string): void {
    const wanted = this.#known.get(expression);
    for (const [stop, watched] of this.#asking) {
      if (!wanted || !watched.includes(wanted)) continue;
      stop.abort();
      this.#end(watched, say.cancelled);
    }
  }

  /** Nobody looks any more. */
  close(): void {
    for (const stop of this.#asking.keys()) stop.abort();
  }

  #take(watched: readonly Watched[], part: CurvePart): void {
    if ('points' in part) {
      for (const [expression, seq, figure, text] of part.points) watched[expression]?.curve.add(seq, figure, text);
      for (const one of watched) one.share = part.last > 0 ? Math.max(0, part.seq) / part.last : 1;
      this.revision += 1;
    } else if ('unusable' in part) {
      for (const [expression, reason] of part.unusable) this.#end(watched.slice(expression, expression + 1), reason);
    } else if ('refusal' in part) this.#end(watched, part.refusal);
    else this.#end(watched, null);
  }

  #end(watched: readonly Watched[], refusal: string | null): void {
    for (const one of watched) {
      if (one.done) continue;
      one.done = true;
      one.refusal = refusal;
    }
    this.revision += 1;
  }
}
