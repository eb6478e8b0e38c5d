// Protects: each op of the catalogue that has a formula has a sum for its forward and its backward step, and its numbers are right.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Event, NodeStarted, OpApplied } from '../protocol/events';
import { entryOf } from '../rows/view';
import type { OpEntry } from '../run/api';
import { EventLog } from '../store/log';
import type { RunState } from '../timeline/state';
import { Timeline } from '../timeline/timeline';
import { checked, joined } from './shown';
import { stepSum } from './step-sum';
import { isReadable } from './sum-text';

const GOLDEN = join(import.meta.dirname, '../../../tests/golden');
const OPS = JSON.parse(readFileSync(join(GOLDEN, 'sentences/ops.json'), 'utf8')) as OpEntry[];

/** Ops, with their nodes, that send nothing in any program, by the reason. */
const WITHOUT_BACKWARD: Readonly<Record<string, readonly string[]>> = {
  'PyTorch has no derivative of them: their nodes raise': [
    'acosh AcoshBackward1',
    'asinh AsinhBackward1',
    'atanh AtanhBackward1',
    'cross_map_lrn2d_backward CrossMapLRN2dBackwardBackward',
    'ctc_loss_backward NotImplemented',
    'detach_copy NotImplemented',
    'embedding_bag_backward EmbeddingBagBackwardBackward0',
    'embedding_bag_per_sample_weights_backward NotImplemented',
    'floor_divide NotImplemented',
    'geqrf GeqrfBackward0',
    'hardsigmoid_backward NotImplemented',
    'heaviside NotImplemented',
    'linalg_ldl_factor_ex NotImplemented',
    'linalg_ldl_solve NotImplemented',
    'multi_margin_loss_backward NotImplemented',
    'multilabel_margin_loss_backward NotImplemented',
    'pdist_backward PdistBackwardBackward0',
    'remainder_of_number NotImplemented',
    'scaled_dot_product_flash_attention_for_cpu_backward NotImplemented',
    'scatter NotImplemented',
    'segment_reduce_backward NotImplemented',
    'sparse_log_softmax_gradient NotImplemented',
    'sparse_softmax_gradient NotImplemented',
    'special_zeta_number SpecialZetaBackward2',
    'standard_gamma_grad StandardGammaGradBackward0',
    'unique UniqueBackward0',
    'unique UniqueDimBackward0',
    'unique2 Unique2Backward0',
    'unique_consecutive UniqueConsecutiveBackward0',
  ],
  'its result has no data, so nothing runs backward': ['to_meta ToCopyBackward0'],
  'the gradient of a sparse tensor is not differentiated further': [
    'embedding_sparse_backward EmbeddingSparseBackwardBackward0',
  ],
  'its gradient is sparse, of which no values are recorded': ['coalesce CoalesceBackward0'],
  'only formulas of other ops call them, in graphs of second order': [
    'copy_in_layout CopyBackwards',
    'read_at SparseMaskBackward0',
    'sub SubBackward1',
    'values_at SparseCooTensorWithDimsAndTensorsBackward0',
  ],
};
/** The ops that have no sum at their forward step, with the reason. */
const WITHOUT_FORWARD: Readonly<Record<string, readonly string[]>> = {
  'views hold no numbers of their own': [
    'alias',
    'conj',
    'diagonal',
    'expand',
    'neg_view',
    'permute',
    'reshape_alias',
    'select',
    'slice',
    'split',
    'split_with_sizes',
    'unbind',
    'unfold',
    'view',
    'view_as_complex',
    'view_as_real',
  ],
  'nothing is computed: the numbers stay as they are, or are replaced': ['clone', 'copy', 'fw_primal', 'zero'],
};

/** The steps of all samples of ops, and of programs for the ops that have none. */
function* steps(): Generator<RunState> {
  const lines = gunzipSync(readFileSync(join(GOLDEN, 'samples.jsonl.gz')))
    .toString()
    .trimEnd()
    .split('\n');
  const streams: Event[][] = [];
  for (const line of lines) {
    const event = JSON.parse(line) as Event;
    if (event.kind === 'program_started') streams.push([]);
    streams.at(-1)!.push(event);
  }
  for (const events of streams) {
    const log = new EventLog();
    const timeline = new Timeline(log);
    log.append(events);
    for (const moment of timeline.moments) yield timeline.stateAt(moment.index);
  }
}

const missing: string[] = [];
const wrong: string[] = [];
const written: string[] = [];
const backward = new Set<OpEntry>();
const forward = new Map<string, boolean>();
let compared = 0;

function look(state: RunState): void {
  const started = state.events.find((event): event is NodeStarted => event.kind === 'node_started');
  const op = state.events.findLast((event): event is OpApplied => event.kind === 'op_applied' && event.during === null);
  if (started) lookBack(started, state);
  else if (op) {
    const name = op.op.replace(/(?<=.)_$/, '');
    const sum = stepSum(state, OPS);
    forward.set(name, forward.get(name) === true || sum !== null);
    for (const text of joined(sum?.lines ?? []))
      compare(
        text,
        op.outputs.map(({ value }) => value),
        name,
      );
  }
}

function lookBack(started: NodeStarted, state: RunState): void {
  const known = state.history.nodes.get(started.node);
  if (!known?.op) return;
  const entry = entryOf({ ops: OPS }, { op: known.op.op.replace(/_$/, ''), name: known.name });
  const sent = state.events.flatMap((event) =>
    event.kind === 'gradient_sent' && event.node === started.node ? [event] : [],
  );
  if (!entry || sent.length === 0) return;
  backward.add(entry);
  const sum = stepSum(state, OPS);
  if (sum === null) missing.push(`${entry.name} ${known.name}`);
  for (const line of sum?.lines ?? [])
    compare(
      line.at(-1)!,
      sent.map(({ value }) => value),
      known.name,
    );
}

function compare(text: string, results: Parameters<typeof checked>[1], of: string): void {
  written.push(`${of}: ${text}`);
  const found = checked(text, results);
  if (found.wrong !== null) wrong.push(`${of}: ${found.wrong}`);
  if (!isReadable(text) || /undefined|null|None|[\ue000-\uf8ff]/.test(text))
    wrong.push(`${of}: ${text} is not readable`);
  compared += found.compared;
}

for (const state of steps()) look(state);

it('has a sum for the backward step of each op that has a formula', () => {
  const unseen = OPS.filter((entry) => Object.keys(entry.latex).length > 0 && !backward.has(entry));
  const nameOf = ({ name, grad_fn }: OpEntry) => `${name} ${grad_fn}`;
  expect([...unseen.map(nameOf), ...missing].sort()).toEqual(Object.values(WITHOUT_BACKWARD).flat().sort());
});

it('has a sum for the forward step of each op that has a formula', () => {
  const ruled = new Set(OPS.filter(({ latex }) => Object.keys(latex).length > 0).map(({ name }) => name));
  const without = [...forward].filter(([name, has]) => !has && ruled.has(name)).map(([name]) => name);
  expect(without.sort()).toEqual(Object.values(WITHOUT_FORWARD).flat().sort());
});

it('has sums whose numbers come to what the events say', () => {
  expect(wrong).toEqual([]);
  expect(compared).toBeGreaterThan(320);
});

it('has the rule where an element has no numbers, and the factor where they are too many', () => {
  expect(written).toEqual(
    expect.arrayContaining([
      'MishBackward0: [1, 1]: −1 × 0.8673 = −0.8673',
      'NativeGroupNormBackward0: g ‖3.518‖: (1 / σ) × (wg − mean(wg) − x̂ mean(wg x̂)) → ‖4.806‖',
      'CumsumBackward0: g ‖1.844‖: Σ(j ≥ i) g_j → ‖3.506‖',
      'VarMeanBackward0: 2 × g_0 × (a − mean(a)) / (3 − 1) + g_1 / 3 → [2, 3] ‖1.57‖',
      'pow: [1, 0]: 2.69^2.5 = 11.87',
      'mean: [1]: (1.6 + 0.28) / 2 = 0.94',
      'floor_divide: [1, 1]: 2.398 // 0.3 = 7',
      'cumsum: [1, 2]: −1.04 + 0.28 − 1.7 = −2.46',
      'log_softmax: [0, 0]: −0.38 − ln(… 3 terms: 8.197) = −2.484',
      'mse_loss: ((−0.38 − 0.66)² + (… 5 terms: 8.932)) / 6 = 1.669',
      'native_layer_norm: [1, 2, 1]: (−1 − 0.1014) × 1.157 = −1.274',
    ]),
  );
});
