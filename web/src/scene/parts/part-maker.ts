// Makes the parts of a scene from the items and links of the layout and the state of the program.

import { brief, gradient as gradientText, typedShape } from '../../format/number';
import type { Item, Link, Output } from '../../layout/graph';
import type { MirrorLayout } from '../../layout/mirror';
import type { Column } from '../../layout/placed';
import {
  BUS_GRADIENT_CHARS,
  CARD_BODY,
  CHIP_HEIGHT,
  chipWidth,
  cut,
  cutName,
  GRAD_HEIGHT,
  GRADIENT_CHARS,
  isScalar,
  LARGE,
  nodeText,
  PILL_HEIGHT,
  ROW_MIDDLE,
  SMALL,
  TANGENT_HEIGHT,
  TEXT,
  VERSION_CHARS,
  width,
} from '../../layout/size';
import type { GradientSent, Summary } from '../../protocol/events';
import { isBad } from '../../protocol/finite';
import { type GradState, isStale, type NodeState, type RunState, type SavedState } from '../../timeline/state';
import type { SceneOptions } from '../options';
import { isSame, type Target } from '../target';
import { hooksOf, tangentOf, versionOf } from './hook-maker';
import { movedText } from './moved';
import type {
  CardPart,
  ChipPart,
  EdgePart,
  GradStack,
  Label,
  Look,
  NodeLook,
  OutputPart,
  PillPart,
  StepEffects,
} from './parts';

export class PartMaker {
  /** The items that an answer is about. */
  readonly lit: ReadonlySet<Item>;
  /** Those that a breakpoint is at. */
  readonly stops: ReadonlySet<Item>;

  constructor(
    readonly state: RunState,
    readonly layout: MirrorLayout,
    readonly pointed: SceneOptions,
    readonly effects: StepEffects,
  ) {
    this.lit = itemsOf(pointed.lit, layout);
    this.stops = itemsOf(pointed.stops, layout);
  }

  item(item: Item): CardPart | PillPart {
    return item.kind === 'op' ? this.#pill(item) : this.#card(item);
  }

  edge(link: Link): EdgePart {
    const chunk = this.layout.chunks[link.chunk]!;
    const column = this.layout.columns[chunk.column]!;
    const target: Target | null = link.node === null ? null : { type: 'edge', node: link.node, inputNr: link.inputNr };
    const sent = link.node === null ? undefined : this.state.sent(link.node, link.inputNr);
    return {
      link,
      up: chunk.up,
      tracked: link.node !== null,
      tangent: this.#hasTangent(link.from.outputs[link.output]!.tensor),
      gradient: sent && this.#isRecent(column, sent.call) ? labelOf(sent.value) : null,
      cut: link.node === null && link.to.event?.op === 'detach' && this.#isTracked(link.from),
      trail: this.#trail(link),
      sending: this.effects.sending.has(link.id),
      bringing: this.effects.bringing.has(link.id),
      look: this.#look(target, false, link.to, chunk.up),
      target,
    };
  }

  #isTracked(item: Item): boolean {
    return item.node !== null || this.state.tensor(item.tensor)?.requiresGrad === true;
  }

  #trail(link: Link): EdgePart['trail'] {
    const { trail } = this.pointed;
    const label = link.node === null ? undefined : trail?.edges.get(`${link.node}/${link.inputNr}`);
    return trail && label ? { ...label, forward: trail.forward } : null;
  }

  #card(item: Item): CardPart {
    const column = this.#column(item);
    const seq = Math.min(this.state.seq, column.last);
    const tensor = this.state.tensorAt(item.tensor, seq);
    const target: Target = { type: 'tensor', tensor: item.tensor };
    const wide = item.pillLeft + item.pillRight;
    const version = item.kind === 'leaf' && tensor ? versionOf(tensor, this.state) : null;
    // Name and value are in one line where the card has no second one.
    const isLine = item.kind === 'leaf' && item.body - (item.tangent ? TANGENT_HEIGHT : 0) < CARD_BODY;
    const beside = width(version ? VERSION_CHARS : 1, SMALL);
    const taken = isLine ? width(item.text, LARGE) + beside : 0;
    const room = Math.floor((wide - 20 - taken) / (TEXT * 0.6));
    const moved = movedText(item.tensor, this.state, room);
    const height = item.kind === 'leaf' ? item.body + (item.requiresGrad ? GRAD_HEIGHT : 0) : item.height;
    const { landing, changing, appearing } = this.effects;
    const isNow = landing.has(item.id) || changing.has(item.id) || appearing.has(item.id);
    return {
      kind: 'card',
      item,
      rect: { x: item.x - item.pillLeft, y: item.y + item.pillTop, width: wide, height },
      name: item.kind === 'leaf' ? cutName(item.text, Math.floor((wide - 24 - beside) / (LARGE * 0.6))) : item.text,
      value: tensor
        ? {
            text: moved ?? brief(tensor.value, room),
            bad: this.state.history.isBroken(item.tensor, tensor.value),
          }
        : { text: '', bad: false },
      moved: moved !== null,
      grad: item.requiresGrad ? stackOf(tensor?.grad ?? null, Math.floor((wide - 23) / (SMALL * 0.6)) - 6) : null,
      hooks: hooksOf(item, this.state),
      version,
      tangent: item.tangent ? tangentOf(tensor, this.state, Math.floor((wide - 24) / (SMALL * 0.6)) - 2) : null,
      look: this.#look(target, isNow, item, this.layout.chunks[item.chunk]!.up),
      target,
    };
  }

  #pill(item: Item): PillPart {
    const column = this.#column(item);
    const chunk = this.layout.chunks[item.chunk]!;
    const node = item.node === null ? null : this.state.node(item.node);
    const target: Target =
      item.node !== null
        ? { type: 'node', node: item.node }
        : { type: 'op', seq: item.event ? item.event.seq : item.seq };
    const begun = column.calls.count(this.state.seq) > 0 || (node?.call ?? null) !== null;
    const look = this.#look(target, this.effects.waking === item.id, item, chunk.up);
    const name = item.node !== null && begun ? nodeText(item.nodeName) : null;
    const replaced = this.#replaced(item);
    const isGrown = name !== null || replaced !== null || item.node === null;
    const right = isGrown ? item.pillRight : item.pillNarrow;
    const rect = {
      x: item.x - item.pillLeft,
      y: item.y + item.pillTop,
      width: item.pillLeft + right,
      height: PILL_HEIGHT,
    };
    return {
      kind: 'pill',
      item,
      rect,
      spine: item.x,
      symbol: item.text,
      name,
      status: this.#status(item, node, column),
      rerun: this.state.events.some((event) => this.layout.itemOfRerun(event.seq) === item),
      tangent: this.#hasTangent(item.tensor),
      replaced,
      hooks: hooksOf(item, this.state),
      chips: node ? node.saved.map((saved, i) => this.#chip(item, i, saved, look, item.pillRight - right)) : [],
      outputs: item.outputs.map((output, nr) => this.#output(item, output, nr, column, chunk.up)),
      seed: this.#seed(item),
      up: chunk.up,
      look,
      target,
    };
  }

  #status(item: Item, node: NodeState | null, column: Column): NodeLook {
    if (!node || item.node === null) return 'untracked';
    if (node.status === 'running' && this.state.call?.running) return 'running';
    // It raised an error: the gradient came, and nothing went out.
    if (node.status === 'running' && this.#isRecent(column, node.call ?? -1)) return 'ready';
    if (node.call !== null && this.#isRecent(column, node.call) && node.status !== 'idle') return 'done';
    const arrival = this.#arrival(item.node, column);
    return arrival || this.#seed(item) ? 'ready' : 'idle';
  }

  /** `aside`: how much narrower the pill is than it will be, which a chip beside it follows. */
  #chip(item: Item, index: number, saved: SavedState, owner: Look, aside: number): ChipPart {
    const chip = item.chips[index]!;
    const target: Target = { type: 'saved', node: item.node!, slot: saved.slot };
    const unpackedNow = saved.unpacked !== null && this.#isPackedNow(item.node!, saved.slot);
    const wide = saved.packed === null || unpackedNow ? chip.width : chipWidth(chip.text);
    const x = item.x + chip.x - (chip.x > item.pillRight ? aside : 0);
    return {
      rect: { x, y: item.y + chip.y, width: wide, height: CHIP_HEIGHT },
      storage: saved.storage,
      text: chip.text,
      live: saved.live,
      stale: isStale(saved) ? { saved: saved.version, now: saved.versionNow } : null,
      packed: saved.packed,
      unpacked: saved.unpacked ? brief(saved.unpacked.value, 12) : null,
      absent: saved.dropped && saved.unpacked === null,
      current: !(saved.dropped && saved.unpacked === null) && this.#isPackedNow(item.node!, saved.slot),
      failed: owner.failed && (!saved.live || isStale(saved)),
      look: this.#look(target, this.effects.freeing.has(`${item.node}/${saved.slot}`), item, false),
      target,
    };
  }

  #isPackedNow(node: number, slot: string): boolean {
    return this.state.events.some(
      (event) =>
        (event.kind === 'saved_tensor_packed' || event.kind === 'saved_tensor_unpacked') &&
        event.node === node &&
        event.slot === slot,
    );
  }

  #output(item: Item, output: Output, nr: number, column: Column, up: boolean): OutputPart {
    // An older item of a tensor that was changed in place keeps what it gave.
    const isHome = this.layout.itemOfTensor(output.tensor) === item;
    const tensor = this.state.tensorAt(output.tensor, isHome ? this.state.seq : Math.max(item.seq, 0));
    const value = tensor?.value ?? null;
    const changed = item.event?.in_place ? item.event.outputs[nr] : undefined;
    const version = changed
      ? { text: `v${changed.version}`, now: this.state.happens(item.event!.seq) }
      : tensor && isHome
        ? versionOf(tensor, this.state)
        : null;
    const room = version ? output.chars - VERSION_CHARS : output.chars;
    const name = this.state.tensor(output.tensor)?.name ?? null;
    const text = value ? brief(value, 14) : '';
    const kept = this.state.history.tensors.get(output.tensor)?.kept.at(this.state.seq);
    const gradientChars = item.outputs.length > 1 ? BUS_GRADIENT_CHARS : GRADIENT_CHARS;
    const y = up ? item.y + item.pillTop - ROW_MIDDLE : item.y + item.pillTop + PILL_HEIGHT + ROW_MIDDLE;
    return {
      x: item.x + output.x,
      spread: output.spread,
      y,
      gradientY: up ? y - output.drop : y + output.drop,
      name: name ? cutName(name, room) : null,
      value: {
        text: fitted(name, text, value, room),
        bad: value !== null && this.state.history.isBroken(output.tensor, value),
      },
      gradient:
        item.node === null
          ? null
          : (this.pointed.trail?.outputs.get(`${item.node}/${nr}`) ??
            this.#incoming(item.node, nr, column, gradientChars)),
      version,
      tangent: item.tangent ? tangentOf(tensor, this.state, GRADIENT_CHARS) : null,
      kept: kept !== undefined,
      target: { type: 'tensor', tensor: output.tensor },
    };
  }

  #hasTangent(tensor: number): boolean {
    return this.state.history.tensors.get(tensor)?.tangents.at(this.state.seq) !== undefined;
  }

  /** The node that has taken the place of an item's node, as the grad_fn of its result. */
  #replaced(item: Item): string | null {
    const { history } = this.state;
    const now = history.tensors.get(item.tensor)?.gradFn.at(this.state.seq);
    if (item.node === null || now == null || now === item.node) return null;
    // What other nodes lead to stays part of the graph.
    const isUsed = (history.users.get(item.node) ?? Number.POSITIVE_INFINITY) <= this.state.seq;
    return isUsed ? null : (history.nodes.get(now)?.name ?? null);
  }

  /** The gradient at an output: what the node ran with, else what has arrived so far. */
  #incoming(node: number, nr: number, column: Column, most: number): Label | null {
    const start = this.state.history.nodes.get(node)?.starts.at(this.state.seq);
    const arrival = this.#arrival(node, column);
    if (arrival && (!start || arrival.seq > start.seq)) return labelOf(arrival.total ?? arrival.value, most);
    if (start?.kind !== 'node_started' || !this.#isRecent(column, start.call)) return null;
    const value = start.gradients[nr];
    return value ? labelOf(value, most) : null;
  }

  /** What was sent to a node last and waits there. */
  #arrival(node: number, column: Column): GradientSent | null {
    const arrival = this.state.history.arrivals.get(node)?.at(this.state.seq);
    return arrival && this.#isRecent(column, arrival.call) ? arrival : null;
  }

  #seed(item: Item): Label | null {
    const call = this.state.call;
    if (!call || item.node === null) return null;
    const index = call.event.root_nodes.indexOf(item.node);
    const value = call.event.gradients[index];
    return value ? labelOf(value) : null;
  }

  /** Whether a backward pass is the last one that began in a column, or came after it. */
  #isRecent(column: Column, call: number): boolean {
    return call >= (column.calls.at(this.state.seq) ?? 0);
  }

  #column(item: Item): Column {
    return this.layout.columns[this.layout.chunks[item.chunk]!.column]!;
  }

  #look(target: Target | null, current: boolean, item: Item, second: boolean): Look {
    const error = this.state.error;
    // What the program caught is shown at its own step: it goes on from there.
    const isNow = error !== null && (!this.state.history.outcomes.isCaught(error) || this.state.happens(error.seq));
    const inForce = error !== null && isNow && error.seq >= (this.state.call?.event.seq ?? 0);
    const node = target?.type === 'node' ? target.node : null;
    const tensor = target?.type === 'tensor' ? target.tensor : null;
    return {
      selected: isSame(target, this.pointed.selection) && target !== null,
      hovered: isSame(target, this.pointed.hover) && target !== null,
      current,
      paused: item.node !== null && item.node === this.pointed.paused,
      stops: this.stops.has(item),
      failed: inForce && error.node !== null && node === error.node && item.node === node,
      blamed:
        inForce &&
        ((node !== null && error.diagnosis?.nodes.includes(node) === true) ||
          (tensor !== null && error.diagnosis?.tensors.includes(tensor) === true)),
      lit: this.lit.has(item),
      second,
    };
  }
}

/** Where nodes and tensors are; a leaf on all of its cards. */
function itemsOf(found: SceneOptions['lit'], layout: MirrorLayout): ReadonlySet<Item> {
  const items = new Set<Item>();
  const add = (item: Item | null) => item && items.add(item);
  for (const node of found?.nodes ?? []) add(layout.itemOfNode(node));
  for (const tensor of found?.tensors ?? []) {
    for (const card of layout.cardsOf(tensor)) add(card);
    add(layout.itemOfTensor(tensor));
  }
  return items;
}

function labelOf(value: Summary, most = GRADIENT_CHARS): Label {
  return { text: gradientText(value, most), bad: isBad(value) };
}

/** The text after a name: `= 6` for elements, the bare shape otherwise, what is left of the room. */
function fitted(name: string | null, text: string, value: Summary | null, chars: number): string {
  if (!value) return '';
  const left = name ? chars - [...name].length - 3 : chars;
  const showsElements = text !== typedShape(value) || isScalar(value);
  const fits = [...text].length <= left;
  if (!fits && left < 3) return '';
  const body = fits ? text : cut(typedShape(value), left);
  return name && showsElements && body === text ? `= ${body}` : body;
}

function stackOf(grad: GradState | null, chars: number): GradStack {
  if (!grad) return { total: null, layers: 0, sum: null };
  const parts = grad.layers.map((layer) => gradientText(layer, 8));
  const total = gradientText(grad.total, chars);
  const sum =
    grad.count === parts.length && parts.length > 1 && parts.length <= 4
      ? parts.join(' + ').replaceAll('+ −', '− ')
      : null;
  return {
    total: { text: total, bad: isBad(grad.total) },
    layers: grad.count,
    sum: sum && [...sum].length + [...total].length + 1 <= chars ? sum : null,
  };
}
