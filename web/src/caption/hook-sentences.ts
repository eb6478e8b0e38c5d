// Sentences of hooks: their registration and removal, their arguments and results.

import type { HookRan, HookRegistered, HookRemoved, SavedTensorUnpacked } from '../protocol/events';
import { own } from '../protocol/own';
import { HOOK_KINDS } from '../protocol/steps';
import { content, gradientContent, type Naming } from './naming';
import { say } from './say';

/** A hook as the subject of a sentence. */
export function hookSubject(kind: string, hook: string): string {
  if (hook !== '<lambda>') return say('hook.named', { kind, hook });
  return say(/^[aeiou]/.test(kind) ? 'hook.lambda_an' : 'hook.lambda', { kind });
}

function actor(where: string, hook: string): string {
  return hookSubject(own(HOOK_KINDS, where) ?? say('hook.other'), hook);
}

type Hooked = { tensor: number | null; node: number | null };

/** The tensor that a hook is on: its own, or the one that its node made. */
function held({ tensor, node }: Hooked, naming: Naming): number | null {
  const made = node === null ? undefined : naming.state.history.nodes.get(node)?.made[0];
  return tensor ?? made ?? null;
}

/** What a hook hangs on: the variable, the tensor that a node made, or the node. */
function holder(event: Hooked, naming: Naming): string {
  const tensor = held(event, naming);
  return tensor === null ? naming.node(event.node ?? -1) : naming.tensor(tensor);
}

/** The `.grad` of what a hook hangs on. */
function gradOf(event: Hooked, naming: Naming): string {
  const tensor = held(event, naming);
  return tensor === null ? say('held.grad_unnamed', { tensor: naming.node(event.node ?? -1) }) : naming.grad(tensor);
}

export function hookRegistered(event: HookRegistered, naming: Naming): string {
  const hook = actor(event.where, event.hook);
  const node = event.node === null ? '' : naming.node(event.node);
  if (event.where === 'node pre') return say('hook_registered.node_pre', { hook, node });
  if (event.where === 'node post') return say('hook_registered.node_post', { hook, node });
  const on = holder(event, naming);
  const grad = gradOf(event, naming);
  if (event.where === 'post accumulate') return say('hook_registered.post_accumulate', { hook, holder: on, grad });
  if (node) return say('hook_registered.before', { hook, holder: on, node });
  return say('hook_registered.before_grad', { hook, holder: on, grad });
}

export function hookRemoved(event: HookRemoved, naming: Naming): string {
  const on = event.where.startsWith('node') ? naming.node(event.node ?? -1) : holder(event, naming);
  return say('hook_removed', { hook: actor(event.where, event.hook), holder: on });
}

export function hookRan(event: HookRan, naming: Naming): string {
  const hook = actor(event.where, event.hook);
  const known = event.before ? gradientContent(event.before) : null;
  const saw = known ?? say('word.none');
  const did = event.after ? say('hook.replaced', { value: gradientContent(event.after) }) : say('hook.left');
  const node = event.node === null ? say('word.a_node') : naming.node(event.node);
  const module = event.module ?? say('word.a_module');
  const given = event.before ? content(event.before) : say('word.nothing');
  switch (event.where) {
    case 'tensor':
      return say('hook_ran.tensor', { hook, holder: holder(event, naming), saw, did });
    case 'node pre':
      return say('hook_ran.node_pre', { hook, node, saw, did });
    case 'node post':
      if (known === null) return say('hook_ran.node_post_blind', { hook, node });
      return say('hook_ran.node_post', { hook, node, saw, did });
    case 'post accumulate':
      if (known === null) return say('hook_ran.post_accumulate_blind', { hook, grad: gradOf(event, naming) });
      return say('hook_ran.post_accumulate', { hook, grad: gradOf(event, naming), saw });
    case 'multi grad':
      return known === null ? say('hook_ran.multi_grad_blind', { hook }) : say('hook_ran.multi_grad', { hook, saw });
    case 'callback':
      return say('hook_ran.callback', { hook });
    case 'module forward pre':
      return say('hook_ran.forward_pre', { hook, module, saw: given, did });
    case 'module forward':
      return say('hook_ran.forward', { hook, module, saw: given, did });
    case 'module backward pre':
      return say('hook_ran.backward_pre', { hook, module, saw, did });
    case 'module backward':
      return say('hook_ran.backward', { hook, module, saw, did });
    case 'optimizer step pre':
      return say('hook_ran.step_pre', { hook, module });
    case 'optimizer step post':
      return say('hook_ran.step_post', { hook, module });
    default:
      return say('hook_ran.other', { hook });
  }
}

export function savedTensorUnpacked(event: SavedTensorUnpacked, naming: Naming): string {
  const hook = hookSubject(say('hook.unpack'), event.hook);
  const { slot } = event;
  return say('saved_tensor_unpacked', { hook, node: naming.node(event.node), slot, value: content(event.value) });
}
