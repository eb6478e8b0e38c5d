// The effects of one step, read from its events: the node that runs, what is sent, where it arrives, what is freed.

import type { MirrorLayout } from '../../layout/mirror';
import type { RunState } from '../../timeline/state';
import type { StepEffects } from '../parts/parts';

/** The effects of a moment. */
export function effectsOf(state: RunState, layout: MirrorLayout): StepEffects {
  const appearing = new Set<number>();
  const bringing = new Set<number>();
  const sending = new Set<number>();
  const landing = new Set<number>();
  const changing = new Set<number>();
  const freeing = new Set<string>();
  const seeding = new Set<number>();
  const touching = new Set<number>();
  const touch = (node: number | null, tensor: number | null) => {
    const item = node === null ? null : layout.itemOfNode(node);
    const found = item ?? (tensor === null ? null : layout.itemOfTensor(tensor));
    if (found) touching.add(found.id);
  };
  let waking: number | null = null;
  let taking = false;
  for (const event of state.events) {
    switch (event.kind) {
      case 'tensor_created': {
        const item = layout.itemOfTensor(event.info.tensor);
        if (item) appearing.add(item.id);
        break;
      }
      case 'op_applied': {
        const again = layout.itemOfRerun(event.seq);
        if (again) {
          waking = again.id;
          for (const input of again.inputs) bringing.add(input.id);
          break;
        }
        const output = event.outputs[0];
        const item = event.node ? layout.itemOfNode(event.node.node) : null;
        const made = item ?? (output ? layout.itemOfTensor(output.tensor) : null);
        if (!made || made.event !== event) break;
        appearing.add(made.id);
        for (const input of made.inputs) {
          bringing.add(input.id);
          if (input.from.seq === event.seq) appearing.add(input.from.id);
        }
        if (event.during === null) waking = made.id;
        break;
      }
      case 'backward_started':
        for (const node of event.root_nodes) {
          const item = layout.itemOfNode(node);
          if (item) seeding.add(item.id);
        }
        break;
      case 'node_started': {
        const leaf = layout.leafOf(event.node);
        const item = leaf === null ? layout.itemOfNode(event.node) : null;
        if (item) waking = item.id;
        taking = item !== null && (state.history.nodes.get(event.node)?.info?.saved.length ?? 0) > 0;
        // A leaf whose gradient is yet to land, as where the program is paused before that.
        if (leaf !== null && !state.events.some(({ kind }) => kind === 'grad_accumulated')) touch(null, leaf);
        break;
      }
      case 'gradient_sent': {
        const edge = layout.linkOf(event.node, event.input_nr);
        if (edge) sending.add(edge.id);
        break;
      }
      case 'grad_accumulated':
        for (const card of cardsAt(layout, event.tensor, state.seq)) landing.add(card);
        break;
      case 'hook_registered':
      case 'hook_removed':
      case 'hook_ran':
      case 'tangent_computed':
        touch('node' in event ? event.node : null, event.tensor);
        break;
      case 'saved_tensor_unpacked':
        touch(event.node, null);
        break;
      case 'recomputation_started':
        for (const item of layout.checkpointOf(event.checkpoint)?.items ?? []) touching.add(item.id);
        touch(event.node, null);
        break;
      case 'recomputation_finished': {
        const node = state.history.recomputations.at(event.seq - 1)?.node ?? null;
        const item = node === null ? null : layout.itemOfNode(node);
        if (item) waking = item.id;
        break;
      }
      case 'tensor_mutated':
        for (const tensor of [event.tensor, ...state.history.gradients.changedBy(event.seq)]) {
          for (const card of cardsAt(layout, tensor, state.seq)) changing.add(card);
        }
        break;
      case 'grad_cleared':
      case 'requires_grad_changed':
        for (const card of cardsAt(layout, event.tensor, state.seq)) changing.add(card);
        break;
      case 'gradient_captured': {
        const item = event.tensor === null ? null : layout.itemOfTensor(event.tensor);
        if (item) waking ??= item.id;
        break;
      }
      case 'optimizer_stepped':
        for (const update of event.updates) {
          for (const card of cardsAt(layout, update.tensor, state.seq)) changing.add(card);
        }
        break;
      case 'buffer_freed':
        freeing.add(`${event.node}/${event.slot}`);
        break;
      case 'error_raised': {
        const item = event.node === null ? null : layout.itemOfNode(event.node);
        if (item) waking = item.id;
        break;
      }
      default:
        break;
    }
  }
  // What is not placed yet cannot be seen to act.
  for (const ids of [appearing, bringing, sending, landing, changing, seeding, touching]) ids.delete(-1);
  if (waking === -1) waking = null;
  return { appearing, bringing, waking, taking, sending, landing, changing, freeing, seeding, touching };
}

/** The card of a leaf in the column that is in force. */
function cardsAt(layout: MirrorLayout, tensor: number, seq: number): number[] {
  const cards = layout.cardsOf(tensor).filter((card) => card.kind === 'leaf' && card.seq <= seq);
  const last = cards.at(-1);
  return last ? [last.id] : [];
}
