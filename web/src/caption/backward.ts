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
import { isBad } from '../protocol/finite';
import { placeWords } from './first-nan';
import { hookRan, savedTensorUnpacked } from './hooks';
import { content, gradientContent, list, type Naming } from './naming';
import { entryOf, type OpSentence, verb } from './template';

const MOST_LISTED = 4;

export function backwardStarted(event: BackwardStarted, naming: Naming): string {
  const names = event.roots.map((root) => naming.variable(root));
  const roots = list(names.map((name) => name ?? 'the result'));
  const backward = names.every((name) => name === null) ? 'backward()' : `${roots}.backward()`;
  const inputs = event.inputs ? list(event.inputs.map((input) => naming.tensor(input))) : '';
  const who = event.api === 'grad' ? `autograd.grad() of ${roots} by ${inputs}` : backward;
  const limited = event.api === 'backward' && event.inputs ? `, for ${inputs} only` : '';
  const nodes = list(event.root_nodes.map((node) => naming.node(node)));
  const gradient = event.gradients[0] ? gradientContent(event.gradients[0]) : '1';
  const given = event.implicit_gradient ? '' : ' that was given';
  const notes = [
    event.create_graph ? 'The pass is itself recorded (create_graph), so it can be differentiated again.' : '',
    event.retain_graph && !event.create_graph ? 'retain_graph keeps all saved tensors.' : '',
  ];
  return [`${who} starts at ${nodes} with the gradient ${gradient}${given}${limited}.`, ...notes]
    .filter(Boolean)
    .join(' ');
}

export function backwardFinished(event: BackwardFinished, naming: Naming): string {
  const { history, seq } = naming.state;
  const call = history.calls.find((entry) => entry.event.call === event.call);
  const leaves = new Map<string, Summary>();
  for (const tensor of history.tensors.values()) {
    if (leaves.size > MOST_LISTED) break;
    const change = tensor.grads.at(seq)?.event;
    if (change?.kind === 'grad_accumulated' && change.call === event.call) {
      leaves.set(naming.leaf(tensor.tensor), change.after);
    }
  }
  if (leaves.size === 0)
    return call?.event.api === 'grad' ? 'autograd.grad() returns its gradients.' : 'The backward pass is done.';
  const parts = [...leaves].slice(0, MOST_LISTED).map(([name, grad]) => {
    const text = values(grad, 20);
    if (text) return `${name}.grad = ${text}`;
    return grad.norm === null
      ? `${name}.grad of shape ${shape(grad.shape)}`
      : `${name}.grad has norm ${number(grad.norm)}`;
  });
  const more = leaves.size > MOST_LISTED ? ' and more' : '';
  return `The backward pass is done: ${parts.join(', ')}${more}.`;
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
  if (failing) {
    const incoming = started.gradients.find((gradient) => gradient !== null);
    return `${name} is to run with the incoming ${incoming ? gradientContent(incoming) : 'gradient'}.`;
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
    const clauses = sent.map(
      (event) => `${gradientContent(event.value)} to ${naming.receiver(event.to_node, event.output_nr)}`,
    );
    sentences.push(`It sends ${list(clauses)}.`);
  } else if (sent.length === 0 && !own) {
    const incoming = started.gradients.find((gradient) => gradient !== null);
    const leaf = naming.state.node(node)?.leaf ?? null;
    const got = incoming ? gradientContent(incoming) : 'no gradient';
    sentences.push(
      leaf === null
        ? `${name} receives ${got} and sends nothing on.`
        : `${name} is to bring ${got} to ${naming.leaf(leaf)}.grad.`,
    );
  } else {
    sentences.push(`${name} ${deeds(started, sent, naming, ops)}.`);
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
      `The ${bad.value.nan_count > 0 ? 'NaN' : 'Inf'} begins here${placeWords(bad.value)}: what came in was finite.`,
    );
  if (made.length > 0)
    sentences.push(`Its formula is recorded: ${counted(made)} ${made.length === 1 ? 'joins' : 'join'} the graph.`);
  const keeps = naming.state.call?.event;
  const kept = keeps?.retain_graph && !keeps.create_graph ? (naming.state.node(node)?.saved ?? []) : [];
  const live = kept.filter((saved) => saved.live && !saved.dropped);
  if (live.length > 0) {
    const total = bytes(heldBytes(live));
    sentences.push(`retain_graph keeps its saved ${live.length === 1 ? 'tensor' : 'tensors'}: ${total}.`);
  }
  if (freed.length > 0) {
    const total = heldBytes(freed);
    sentences.push(`Then it frees ${freed.length === 1 ? 'its saved tensor' : 'its saved tensors'}: ${bytes(total)}.`);
  }
  return sentences.join(' ');
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
    return [`The gradients of ${naming.receiver(event.to_node, event.output_nr)} add up: ${sum} = ${total}.`];
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
    const name = naming.tensor(tensor!);
    return [
      `Nothing goes back to ${name}: detach() at line ${cut.line} cut it from its history, and the gradient stops there.`,
    ];
  });
}

function deeds(
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
  const verbs = sent.map((event) =>
    applied && history?.info && !event.reduced_from
      ? verb(entry, applied, history.info, event.input_nr, incoming, naming)
      : null,
  );
  const first = `receives ${incoming ? gradientContent(incoming) : 'no gradient'}`;
  const clauses = sent.map((event, i) => {
    const to = naming.receiver(event.to_node, event.output_nr);
    const value = gradientContent(event.value);
    const doing = verbs[i];
    if (!doing) return `sends ${value} to ${to}`;
    if (PASSES.test(doing)) {
      const passed = incoming ? values(incoming, 14) : null;
      return `passes the incoming ${passed ?? 'gradient'} on to ${to}`;
    }
    if (doing.startsWith('sends ')) return `${doing}; ${to} gets ${value}`;
    return `${doing}${PHRASES.test(doing.replace(BRACKETED, '')) ? ',' : ''} and sends ${value} to ${to}`;
  });
  if (verbs.every((doing) => !doing)) return `${first} and ${list(clauses)}`;
  if (clauses.length > 1 && clauses.every((clause) => clause.startsWith('passes '))) {
    const targets = sent.map((event) => naming.receiver(event.to_node, event.output_nr));
    return clauses[0]!.replace(/ on to .*$/, ` on to ${list([...new Set(targets)])}`);
  }
  // The same deed for the same receiver is told once.
  const told = [...new Set(clauses)];
  const times = clauses.length === 2 && told.length === 1 ? ', twice' : '';
  return `${told.join('; it ')}${times}`;
}

/** What the backward() of a custom Function computed, step by step. */
function ownBackward(started: NodeStarted, inner: readonly OpApplied[], naming: Naming): string {
  const incoming = started.gradients.find((gradient) => gradient !== null);
  const steps = inner.slice(0, MOST_LISTED).map((event) => {
    const output = event.outputs[0];
    const value = output ? values(output.value, 20) : null;
    return `${naming.expression(event.op, event.inputs)}${value ? ` = ${value}` : ''}`;
  });
  const more = inner.length > steps.length ? ` and ${inner.length - steps.length} more` : '';
  const what = more ? `${steps.join(', ')}${more}` : list(steps);
  return `${naming.node(started.node)} runs its backward() on ${incoming ? gradientContent(incoming) : 'no gradient'}: ${what}.`;
}

/** Names in the order of their first use, each with how often it comes. */
function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const texts = [...counts].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name));
  const shown = texts.slice(0, MOST_LISTED);
  return texts.length > shown.length ? `${shown.join(', ')} and more` : list(shown);
}

const PHRASES = /, /;
const BRACKETED = /\[.*\]|\(.*\)/g;
const PASSES = /^passes the incoming .{1,20} on( to .*)?$/;

function folded(event: GradientSent, naming: Naming): string {
  const name = naming.receiver(event.to_node, event.output_nr);
  const from = event.reduced_from!;
  const to = event.value.shape;
  const isRows = from.length === to.length + 1 && to.every((dim, i) => dim === from[i + 1]);
  const over = isRows
    ? `over ${from[0]} ${to.length > 0 ? 'rows' : 'elements'}`
    : `from ${shape(to)} to ${shape(from)}`;
  return `${name} was broadcast ${over}, so its gradient is the sum over them: ${gradientContent(event.value)}.`;
}

export function gradAccumulated(event: GradAccumulated, naming: Naming): string {
  const name = `${naming.leaf(event.tensor)}.grad`;
  const [before, added, after] = [event.before, event.added, event.after].map((s) => (s ? values(s, 24) : null));
  if (!event.before) {
    const norm = !after && event.after.norm !== null ? `, of norm ${number(event.after.norm)}` : '';
    return `${name} was None; it is now ${gradientContent(event.after)}${norm}.`;
  }
  if (before && added && after) return `${name} was ${before}; adding ${added} gives ${after}: backward() accumulates.`;
  return `${name} already held ${gradientContent(event.before)}; the new one is added to it: backward() accumulates.`;
}

export function gradientCaptured(event: GradientCaptured, naming: Naming): string {
  const name = event.tensor === null ? naming.node(event.node) : naming.tensor(event.tensor);
  const value = gradientContent(event.value);
  return event.into === 'grad'
    ? `retain_grad() keeps the gradient of ${name} in ${name}.grad: ${value}.`
    : `autograd.grad() keeps the gradient of ${name} as its result: ${value}.`;
}

export function gradCleared(event: GradCleared, naming: Naming): string {
  const name = `${naming.leaf(event.tensor)}.grad`;
  if (event.how === 'none') return `${name} is emptied: it is None again.`;
  if (event.how === 'zero') return `${name} is filled with zeros in place.`;
  return event.value ? `The program assigns ${content(event.value)} to ${name}.` : `The program assigns to ${name}.`;
}

export function optimizerStepped(event: OptimizerStepped, naming: Naming): string {
  const moved = event.updates.slice(0, MOST_LISTED).map((update) => {
    const name = naming.leaf(update.tensor);
    const before = values(update.before, 14);
    const after = values(update.after, 14);
    if (before && after) return `${name} from ${before} to ${after}`;
    return typeof update.change?.norm === 'number' ? `${name} by a change of norm ${number(update.change.norm)}` : name;
  });
  const more = event.updates.length - moved.length;
  if (moved.length === 0) return `${event.optimizer}.step() changes nothing: no parameter has a gradient.`;
  const rates = [...new Set(event.groups.map(({ lr }) => lr))];
  const rate = rates.length === 1 && rates[0] != null ? ` with lr ${number(rates[0])}` : '';
  const what = more > 0 ? `${moved.join(', ')} and ${more} more` : list(moved);
  return `${event.optimizer}.step() number ${event.number}${rate} moves ${what}.`;
}
