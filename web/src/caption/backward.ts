// Sentences of the backward pass: where it starts, what each node does, what lands in `.grad`, what is freed.

import { bytes, heldBytes, number, shape, values } from '../format/number';
import type {
  BackwardFinished,
  BackwardStarted,
  BufferFreed,
  Event,
  GradAccumulated,
  GradCleared,
  GradientCaptured,
  GradientSent,
  NodeStarted,
  OpApplied,
  OptimizerStepped,
  Summary,
} from '../protocol/events';
import { lineText } from '../protocol/file-lines';
import { isBad } from '../protocol/finite';
import { effect, entryOf, type OpSentence } from './effect';
import { hookRan, savedTensorUnpacked } from './hook-sentences';
import { content, gradientContent, type Naming } from './naming';
import { placeWords } from './nan-cause';
import { list, say, text } from './say';

const MOST_LISTED = 4;

export function backwardStarted(event: BackwardStarted, naming: Naming): string {
  const names = event.roots.map((root) => naming.variable(root));
  const roots = list(names.map((name) => name ?? say('word.the_result')));
  const inputs = event.inputs ? list(event.inputs.map((input) => naming.tensor(input))) : '';
  const call =
    event.api === 'grad'
      ? say('backward_started.call_grad', { roots, inputs })
      : names.every((name) => name === null)
        ? say('backward_started.call_unnamed')
        : say('backward_started.call', { roots });
  const starts = say(event.implicit_gradient ? 'backward_started.starts' : 'backward_started.starts_given', {
    call,
    nodes: list(event.root_nodes.map((node) => naming.node(node))),
    gradient: event.gradients[0] ? gradientContent(event.gradients[0]) : '1',
    only: event.api === 'backward' && event.inputs ? say('backward_started.only', { inputs }) : '',
  });
  if (event.create_graph) return text(starts, say('backward_started.create_graph'));
  return text(starts, event.retain_graph ? say('backward_started.retain_graph') : '');
}

export function backwardFinished(event: BackwardFinished, naming: Naming): string {
  const { history, seq } = naming.state;
  const call = history.calls.find((entry) => entry.event.call === event.call);
  const leaves = new Map<string, Summary>();
  for (const tensor of history.tensors.values()) {
    if (leaves.size > MOST_LISTED) break;
    const change = tensor.grads.at(seq)?.event;
    if (change?.kind === 'grad_accumulated' && change.call === event.call) {
      leaves.set(naming.grad(tensor.tensor), change.after);
    }
  }
  if (leaves.size === 0)
    return say(call?.event.api === 'grad' ? 'backward_finished.done_grad' : 'backward_finished.done');
  const parts = [...leaves].slice(0, MOST_LISTED).map(([grad, held]) => {
    const value = values(held, 20);
    if (value) return say('backward_finished.elements', { grad, value });
    return held.norm === null
      ? say('backward_finished.shape', { grad, shape: shape(held.shape) })
      : say('backward_finished.norm', { grad, norm: number(held.norm) });
  });
  const grads = parts.join(say('join.comma'));
  return say(leaves.size > MOST_LISTED ? 'backward_finished.grads_more' : 'backward_finished.grads', { grads });
}

/** What a node did: its formula in words, where each gradient went, what it folded back and what it freed. */
export function nodeRan(
  started: NodeStarted,
  events: readonly Event[],
  naming: Naming,
  ops: readonly OpSentence[],
  failing: boolean,
): string {
  const { node } = started;
  const name = naming.node(node);
  const incoming = started.gradients.find((gradient) => gradient !== null);
  if (failing) {
    const gradient = incoming ? gradientContent(incoming) : say('word.gradient');
    return say('node_started.about_to', { node: name, gradient });
  }
  const about = events.filter((event) => 'node' in event && event.node === node);
  const sent = about.filter((event): event is GradientSent => event.kind === 'gradient_sent');
  const freed = about.filter((event): event is BufferFreed => event.kind === 'buffer_freed');
  const sentences = events.flatMap((event) =>
    event.kind === 'saved_tensor_unpacked' && event.node === node && event.hook !== 'recompute'
      ? [savedTensorUnpacked(event, naming)]
      : [],
  );
  const inner = events.filter((event): event is OpApplied => event.kind === 'op_applied' && event.during === node);
  const made = inner.flatMap((event) => (event.node ? [event.node.name] : []));
  const own = made.length === 0 && inner.length > 0;
  if (own) sentences.push(ownBackward(started, inner, naming));
  if (own && sent.length > 0) {
    const clauses = sent.map((event) =>
      say('node_started.own_sent', {
        value: gradientContent(event.value),
        receiver: naming.receiver(event.to_node, event.output_nr),
      }),
    );
    sentences.push(say('node_started.own_sends', { sent: list(clauses) }));
  } else if (sent.length === 0 && !own) {
    const leaf = naming.state.node(node)?.leaf ?? null;
    const gradient = incoming ? gradientContent(incoming) : say('word.no_gradient');
    sentences.push(
      leaf === null
        ? say('node_started.sends_nothing', { node: name, gradient })
        : say('node_started.to_leaf', { node: name, gradient, grad: naming.grad(leaf) }),
    );
  } else {
    sentences.push(say('node_started.does', { node: name, effects: effectsOf(started, sent, naming, ops) }));
  }
  for (const event of sent) if (event.reduced_from) sentences.push(folded(event, naming));
  sentences.push(...addedUp(sent, naming), ...stopped(started, naming));
  for (const event of events) {
    if (event.kind !== 'hook_ran' || event.node !== node) continue;
    if (event.where === 'node post' || event.where.startsWith('module backward'))
      sentences.push(hookRan(event, naming));
  }
  const wasFinite = started.gradients.every((gradient) => gradient === null || !isBad(gradient));
  const bad = wasFinite && !naming.state.keepsNaN(node) ? sent.find((event) => isBad(event.value)) : undefined;
  if (bad)
    sentences.push(
      say('non_finite.node', {
        what: say(bad.value.nan_count > 0 ? 'word.nan' : 'word.inf'),
        at: placeWords(bad.value),
      }),
    );
  if (made.length > 0)
    sentences.push(
      say(made.length === 1 ? 'node_started.recorded_one' : 'node_started.recorded_several', { nodes: counted(made) }),
    );
  const keeps = naming.state.call?.event;
  const kept = keeps?.retain_graph && !keeps.create_graph ? (naming.state.node(node)?.saved ?? []) : [];
  const live = kept.filter((saved) => saved.live && !saved.dropped);
  if (live.length > 0) {
    const held = { bytes: bytes(heldBytes(live)) };
    sentences.push(say(live.length === 1 ? 'node_started.keeps_one' : 'node_started.keeps_several', held));
  }
  if (freed.length > 0) {
    const held = { bytes: bytes(heldBytes(freed)) };
    sentences.push(say(freed.length === 1 ? 'node_started.frees_one' : 'node_started.frees_several', held));
  }
  return text(...sentences);
}

/** What the gradients of one receiver come to, where this is not the first of them. */
function addedUp(sent: readonly GradientSent[], naming: Naming): string[] {
  // Several to one receiver are one sum: the last has them all.
  const last = new Map(sent.map((event) => [`${event.to_node}/${event.output_nr}`, event]));
  return [...last.values()].flatMap((event) => {
    const total = event.total ? values(event.total, 20) : null;
    const parts = naming.state.contributions(event).map((part) => values(part.value, 14));
    if (total === null || parts.length < 2 || parts.length > MOST_LISTED || parts.includes(null)) return [];
    const sum = parts.join(' + ').replaceAll('+ −', '− ');
    const receiver = naming.receiver(event.to_node, event.output_nr);
    return [say('node_started.adds_up', { receiver, sum, total })];
  });
}

/** Inputs that were cut from the graph: the gradient goes no further there. */
function stopped({ node }: NodeStarted, naming: Naming): string[] {
  const { history } = naming.state;
  return (history.nodes.get(node)?.op?.inputs ?? []).flatMap(({ tensor }) => {
    const cut = tensor === null ? null : history.tensors.get(tensor)?.op;
    if (
      cut?.op !== 'detach' ||
      !cut.inputs.some((one) => one.tensor !== null && naming.state.tensor(one.tensor)?.requiresGrad)
    )
      return [];
    return [say('node_started.stopped', { tensor: naming.tensor(tensor!), line: lineText(cut.line) ?? '?' })];
  });
}

function effectsOf(
  started: NodeStarted,
  sent: readonly GradientSent[],
  naming: Naming,
  ops: readonly OpSentence[],
): string {
  const { node, gradients } = started;
  const incoming = gradients.find((gradient) => gradient !== null) ?? null;
  const history = naming.state.history.nodes.get(node);
  const applied = history?.op ?? null;
  const entry = applied && history?.info ? entryOf(ops, applied, history.info) : undefined;
  const effects = sent.map((event) =>
    applied && history?.info && !event.reduced_from
      ? effect(entry, applied, history.info, event.input_nr, incoming, naming)
      : null,
  );
  const clauses = sent.map((event, i) => {
    const receiver = naming.receiver(event.to_node, event.output_nr);
    const value = gradientContent(event.value);
    const does = effects[i];
    if (!does) return say('effect.sends', { value, receiver });
    if (PASSES.test(does)) return say('effect.passes', { value: passed(incoming), receiver });
    if (does.startsWith('sends ')) return say('effect.gets', { effect: does, receiver, value });
    const isPhrase = PHRASES.test(does.replace(BRACKETED, ''));
    return say(isPhrase ? 'effect.does_phrase' : 'effect.does', { effect: does, value, receiver });
  });
  if (effects.every((does) => !does)) {
    const gradient = incoming ? gradientContent(incoming) : say('word.no_gradient');
    return say('effect.receives', { gradient, sends: list(clauses) });
  }
  if (clauses.length > 1 && effects.every((does) => does && PASSES.test(does))) {
    const targets = sent.map((event) => naming.receiver(event.to_node, event.output_nr));
    return say('effect.passes', { value: passed(incoming), receiver: list([...new Set(targets)]) });
  }
  // Several edges with one effect on one receiver make one clause.
  const different = [...new Set(clauses)];
  const joined = different.join(say('join.then'));
  return clauses.length === 2 && different.length === 1 ? say('effect.twice', { effects: joined }) : joined;
}

function passed(incoming: Summary | null): string {
  return (incoming && values(incoming, 14)) ?? say('word.gradient');
}

/** What the backward() of a custom Function computed, step by step. */
function ownBackward(started: NodeStarted, inner: readonly OpApplied[], naming: Naming): string {
  const incoming = started.gradients.find((gradient) => gradient !== null);
  const steps = inner.slice(0, MOST_LISTED).map((event) => {
    const output = event.outputs[0];
    const value = output ? values(output.value, 20) : null;
    const expression = naming.expression(event.op, event.inputs);
    return value ? say('node_started.own_step', { expression, value }) : expression;
  });
  const more = inner.length - steps.length;
  return say('node_started.runs_own', {
    node: naming.node(started.node),
    gradient: incoming ? gradientContent(incoming) : say('word.no_gradient'),
    steps: more > 0 ? say('node_started.own_more', { steps: steps.join(say('join.comma')), count: more }) : list(steps),
  });
}

/** Names in the order of their first use, each with how often it comes. */
function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const texts = [...counts].map(([name, count]) => (count > 1 ? say('node_started.times', { count, name }) : name));
  const shown = texts.slice(0, MOST_LISTED);
  return texts.length > shown.length ? say('node_started.more', { names: shown.join(say('join.comma')) }) : list(shown);
}

const PHRASES = /, /;
const BRACKETED = /\[.*\]|\(.*\)/g;
const PASSES = /^passes the incoming .{1,20} on( to .*)?$/;

function folded(event: GradientSent, naming: Naming): string {
  const from = event.reduced_from!;
  const to = event.value.shape;
  const isRows = from.length === to.length + 1 && to.every((dim, i) => dim === from[i + 1]);
  const places = {
    receiver: naming.receiver(event.to_node, event.output_nr),
    gradient: gradientContent(event.value),
  };
  if (!isRows) return say('node_started.broadcast_shape', { ...places, from: shape(to), to: shape(from) });
  const over = to.length > 0 ? 'node_started.broadcast_rows' : 'node_started.broadcast_elements';
  return say(over, { ...places, count: from[0]! });
}

export function gradAccumulated(event: GradAccumulated, naming: Naming): string {
  const grad = naming.grad(event.tensor);
  if (!event.before) {
    const after = gradientContent(event.after);
    if (values(event.after, 24) || event.after.norm === null) return say('grad_accumulated.first', { grad, after });
    return say('grad_accumulated.first_norm', { grad, after, norm: number(event.after.norm) });
  }
  const [before, added, after] = [event.before, event.added, event.after].map((one) => values(one, 24));
  if (before && added && after) return say('grad_accumulated.adds', { grad, before, added, after });
  return say('grad_accumulated.more', { grad, before: gradientContent(event.before) });
}

export function gradientCaptured(event: GradientCaptured, naming: Naming): string {
  const name = event.tensor === null ? naming.node(event.node) : naming.tensor(event.tensor);
  const value = gradientContent(event.value);
  if (event.into !== 'grad') return say('gradient_captured.result', { name, value });
  const grad = event.tensor === null ? say('held.grad_unnamed', { tensor: name }) : naming.grad(event.tensor);
  return say('gradient_captured.grad', { name, grad, value });
}

export function gradCleared(event: GradCleared, naming: Naming): string {
  const grad = naming.grad(event.tensor);
  if (event.how === 'none') return say('grad_cleared.none', { grad });
  if (event.how === 'zero') return say('grad_cleared.zero', { grad });
  if (!event.value) return say('grad_cleared.assigned', { grad });
  return say('grad_cleared.assigned_value', { grad, value: content(event.value) });
}

export function optimizerStepped(event: OptimizerStepped, naming: Naming): string {
  const { optimizer } = event;
  const steps = event.updates.slice(0, MOST_LISTED).map((update) => {
    const name = naming.leaf(update.tensor);
    const before = values(update.before, 14);
    const after = values(update.after, 14);
    if (before && after) return say('optimizer_stepped.from_to', { name, before, after });
    const norm = update.change?.norm;
    return typeof norm === 'number' ? say('optimizer_stepped.by_norm', { name, norm: number(norm) }) : name;
  });
  if (steps.length === 0) return say('optimizer_stepped.nothing', { optimizer });
  const more = event.updates.length - steps.length;
  const rates = [...new Set(event.groups.map(({ lr }) => lr))];
  const moved =
    more > 0 ? say('optimizer_stepped.more', { moved: steps.join(say('join.comma')), count: more }) : list(steps);
  const places = { optimizer, number: event.number, moved };
  if (rates.length !== 1 || rates[0] == null) return say('optimizer_stepped.moves', places);
  return say('optimizer_stepped.moves_rate', { ...places, rate: number(rates[0]) });
}
