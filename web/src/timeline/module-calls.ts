// The calls of modules and the rounds of loops that events are in.

import type { Event, FunctionEntered, ModuleDescribed, ModuleEntered, RoundStarted } from '../protocol/events';
import { Series } from './series';

/** One call of a module; `depth` counts the calls around it, `left` is infinite while it is under way. */
export type ModuleCall = { event: ModuleEntered; outer: ModuleCall | null; depth: number; left: number };

/** One call of a function; `left` is infinite while it is under way. */
export type FunctionCall = { event: FunctionEntered; outer: FunctionCall | null; left: number };

/** One run of a loop: its rounds by the event that began them, and how many there were once it is over. */
export type LoopRun = {
  loop: number;
  line: number | null;
  text: string;
  outer: LoopRun | null;
  rounds: Series<number>;
  over: number;
  total: number | null;
  /** Whether an optimizer stepped, or a backward pass began, in its body but in no loop or module inside it. */
  steps: boolean;
  passes: boolean;
};

/** A round that is under way: number `round` of `of`, as far as the log goes. */
export type Round = { run: LoopRun; round: number; of: number };

/** Follows the events; any moment of the past can be asked for. */
export class Whereabouts {
  readonly modules = new Map<number, ModuleDescribed>();
  readonly calls = new Map<number, ModuleCall>();
  readonly functions = new Map<number, FunctionCall>();
  readonly loops = new Map<number, LoopRun>();
  #innermost: FunctionCall | null = null;
  readonly #called = new Series<FunctionCall | null>();
  readonly #entered = new Series<ModuleCall | null>();
  readonly #running = new Series<LoopRun | null>();

  /** Takes the next event. */
  add(event: Event): void {
    switch (event.kind) {
      case 'module_described':
        this.modules.set(event.module, event);
        break;
      case 'module_entered': {
        const outer = this.#entered.last ?? null;
        const call = { event, outer, depth: outer ? outer.depth + 1 : 0, left: Number.POSITIVE_INFINITY };
        this.calls.set(event.call, call);
        this.#entered.push(event.seq, call);
        break;
      }
      case 'module_left': {
        const call = this.calls.get(event.call);
        if (call) call.left = event.seq;
        this.#entered.push(event.seq, call?.outer ?? null);
        break;
      }
      case 'function_entered': {
        const call = { event, outer: this.#innermost, left: Number.POSITIVE_INFINITY };
        this.functions.set(event.call, call);
        this.#innermost = call;
        this.#called.push(event.seq, call);
        break;
      }
      case 'function_left': {
        const call = this.functions.get(event.call);
        if (!call) break;
        call.left = event.seq;
        this.#innermost = call.outer;
        this.#called.push(event.seq, call.outer);
        break;
      }
      case 'round_started':
        this.#round(event);
        break;
      case 'loop_finished': {
        const run = this.loops.get(event.loop);
        if (!run) break;
        run.over = event.seq;
        run.total = event.rounds;
        this.#running.push(event.seq, run.outer);
        break;
      }
      case 'optimizer_stepped':
      case 'backward_started': {
        const run = this.#running.last;
        if (run && event.kind === 'optimizer_stepped') run.steps = true;
        if (run && event.kind === 'backward_started') run.passes = true;
        break;
      }
    }
  }

  /** The innermost call of a module that is under way after event `seq`. */
  callAt(seq: number): ModuleCall | null {
    return this.#entered.at(seq) ?? null;
  }

  /** The innermost call of a function that is under way after event `seq`. */
  functionAt(seq: number): FunctionCall | null {
    return this.#called.at(seq) ?? null;
  }

  /** The rounds under way after event `seq`, outermost first. */
  roundsAt(seq: number): Round[] {
    const found: Round[] = [];
    for (let run = this.#running.at(seq) ?? null; run; run = run.outer) {
      const round = run.rounds.at(seq);
      if (round !== undefined) found.unshift({ run, round, of: run.total ?? run.rounds.last! });
    }
    return found;
  }

  /** The paths of the parameters of all modules, by their tensors; a shared one has several. */
  parameterPaths(): Map<number, string[]> {
    const found = new Map<number, string[]>();
    for (const { path, parameters } of this.modules.values()) {
      for (const { name, tensor } of parameters) {
        const paths = found.get(tensor);
        if (paths) paths.push(`${path}.${name}`);
        else found.set(tensor, [`${path}.${name}`]);
      }
    }
    return found;
  }

  #round(event: RoundStarted): void {
    let run = this.loops.get(event.loop);
    if (!run) {
      run = {
        loop: event.loop,
        line: event.line,
        text: event.text,
        outer: event.outer === null ? null : (this.loops.get(event.outer) ?? null),
        rounds: new Series(),
        over: Number.POSITIVE_INFINITY,
        total: null,
        steps: false,
        passes: false,
      };
      this.loops.set(event.loop, run);
    }
    run.rounds.push(event.seq, event.round);
    this.#running.push(event.seq, run);
  }
}

/**
 * The round that counts as the program's step: that of the innermost loop in which an optimizer steps, else in which a
 * backward pass begins, else the innermost one.
 */
export function stepOf(rounds: readonly Round[]): Round | null {
  return rounds.findLast(({ run }) => run.steps) ?? rounds.findLast(({ run }) => run.passes) ?? rounds.at(-1) ?? null;
}
