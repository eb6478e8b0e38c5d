// A rehearsal: a made-up model is laid out while the page has nothing to do, so that the browser has compiled the layout
// when the first large graph comes.  Nobody sees what comes out.

import type { Event } from '../protocol/events';
import type { EventLog } from '../store/log';
import { MirrorLayout } from './mirror';
import type { Pace } from './pace/slices';

/** How much of an idle time is left to the page, and how long it works in one, so that what a reader does waits for little. */
const SPARE_MS = 2;
const MOST_MS = 6;
/** Models of so many layers, one after the other: each differs from the last, as what is alike is not laid out twice. */
const LAYERS = [6, 7, 8, 9];
const HEADS = 4;

/** Slices of the times in which the browser has nothing to do. */
class Idle implements Pace {
  #end = 0;
  #waiting = 0;

  begin(): void {}

  over(): boolean {
    return performance.now() >= this.#end;
  }

  next(run: () => void): void {
    this.#waiting = requestIdleCallback((deadline) => {
      this.#end = performance.now() + Math.min(MOST_MS, deadline.timeRemaining() - SPARE_MS);
      run();
    });
  }

  stop(): void {
    cancelIdleCallback(this.#waiting);
  }
}

/**
 * Lays out made-up models in idle time, each from a new log; resolves when all are done, at once where the browser tells
 * of no idle time.  (With a log of its own it would take that out of the page's first file, which then weighs more.)
 */
export async function rehearse(newLog: () => EventLog): Promise<void> {
  if (!globalThis.requestIdleCallback) return;
  for (const layers of LAYERS) await layOut(newLog(), model(layers));
}

function layOut(log: EventLog, events: readonly Event[]): Promise<void> {
  return new Promise((resolve) => {
    const layout = new MirrorLayout(log, new Idle());
    layout.onChange(() => {
      if (layout.behind) return;
      layout.close();
      resolve();
    });
    log.append(events);
  });
}

/** The events of a program with a model of attention-like layers, as the server writes them. */
export function model(layers: number): Event[] {
  const events: Event[] = [];
  let last = 0;
  const fresh = () => {
    last += 1;
    return last;
  };
  const nodes = new Map<number, number>();
  const emit = (kind: string, fields: object) => {
    // As read from a text, so that they have the shape of real ones.
    events.push(JSON.parse(JSON.stringify({ kind, seq: events.length, line: 1, ...fields })));
  };
  const info = (isLeaf: boolean) => ({
    tensor: fresh(),
    storage: fresh(),
    version: 0,
    requires_grad: true,
    is_leaf: isLeaf,
    base: null,
    value: {
      shape: [8, 8],
      dtype: 'float32',
      strides: [8, 1],
      nbytes: 256,
      min: -0.5,
      max: 1.5,
      mean: 0.1,
      norm: 1.5,
      nan_count: 0,
      inf_count: 0,
      values: [0.5, 1.5],
    },
  });
  const leaf = (name: string): number => {
    const made = info(true);
    emit('tensor_created', { origin: 'tensor', info: made });
    emit('tensor_named', { tensor: made.tensor, name });
    return made.tensor;
  };
  const apply = (op: string, ...tensors: number[]): number => {
    for (const tensor of tensors) {
      if (nodes.has(tensor)) continue;
      nodes.set(tensor, fresh());
      emit('node_created', { node: nodes.get(tensor), name: 'AccumulateGrad', tensor });
    }
    const [made, node] = [info(false), fresh()];
    const inputs = tensors.map((tensor) => ({ name: 'self', tensor, text: null }));
    const saved = {
      slot: '_saved_self',
      tensor: tensors[0],
      storage: fresh(),
      version: 0,
      nbytes: 256,
      is_output: false,
    };
    emit('op_applied', {
      op,
      inputs: [...inputs, { name: 'dim', tensor: null, text: '-1' }],
      outputs: [made],
      node: {
        node,
        name: `${op}Backward0`,
        sequence_nr: node,
        next_functions: tensors.map((tensor) => ({ node: nodes.get(tensor), output_nr: 0 })),
        saved: [saved],
        attributes: {},
      },
      in_place: false,
      is_view: false,
      during: null,
      module_path: null,
      repeat: [],
      hidden: [],
    });
    nodes.set(made.tensor, node);
    return made.tensor;
  };
  const called = (type: string, path: string, work: () => number): number => {
    const [module, call] = [fresh(), fresh()];
    emit('module_described', { module, type, path, text: '', parameters: [] });
    emit('module_entered', { call, module, path, caller: null, times: 1 });
    const result = work();
    emit('module_left', { call });
    return result;
  };
  const linear = (path: string, x: number) =>
    called('Linear', path, () => apply('add', apply('mm', x, leaf(`${path}.weight`)), leaf(`${path}.bias`)));
  let x = leaf('x');
  const mask = leaf('mask');
  for (let layer = 0; layer < layers; layer += 1) {
    const path = `layers.${layer}`;
    const before = x;
    x = called('Block', path, () => {
      const [loop, mixed] = [fresh(), linear(`${path}.qkv`, x)];
      const heads: number[] = [];
      for (let round = 1; round <= HEADS; round += 1) {
        emit('round_started', { loop, outer: null, round, text: 'heads' });
        let head = apply('softmax', apply('where', mask, apply('mm', apply('select', mixed), apply('t', mixed))));
        // One op more in each layer and round.
        for (let i = 0; i < (layer + round + layers) % 7; i += 1) head = apply('tanh', head);
        heads.push(apply('mm', head, mixed));
      }
      emit('loop_finished', { loop, rounds: HEADS });
      return apply('add', before, linear(`${path}.out`, apply('cat', ...heads)));
    });
  }
  // Beside the layers a graph without places.
  const rows = Array.from({ length: 12 }, (_, i) => apply('mul', x, leaf(`w${i}`)));
  for (let i = 0; i < 8 * layers; i += 1)
    rows.push(apply('add', rows[(i * 5) % rows.length]!, rows[(i * 3 + 1) % rows.length]!));
  apply('sum', apply('stack', ...rows));
  emit('program_finished', { status: 'ok' });
  return events;
}
