// Sentences on hooks: where they are hung, what they saw, what they gave back.

import type { HookRan, HookRegistered, HookRemoved, SavedTensorUnpacked } from '../protocol/events';
import { own } from '../protocol/own';
import { content, gradientContent, type Naming } from './naming';

const KINDS: Record<string, string> = {
  'node pre': 'pre-hook',
  'multi grad': 'multi-grad hook',
  callback: 'callback',
  'module forward pre': 'forward pre-hook',
  'module forward': 'forward hook',
  'module backward pre': 'backward pre-hook',
  'module backward': 'backward hook',
  'optimizer step pre': 'step pre-hook',
  'optimizer step post': 'step post-hook',
};

/** A hook as the subject of a sentence. */
export function hookSubject(kind: string, hook: string): string {
  return hook === '<lambda>' ? `A ${kind} (a lambda)` : `The ${kind} ${hook}`;
}

function actor(where: string, hook: string): string {
  return hookSubject(own(KINDS, where) ?? 'hook', hook);
}

/** What a hook hangs on: the variable, the tensor that a node made, or the node. */
function holder(event: { tensor: number | null; node: number | null }, naming: Naming): string {
  const made = event.node === null ? undefined : naming.state.history.nodes.get(event.node)?.made[0];
  const tensor = event.tensor ?? made;
  return tensor != null ? naming.tensor(tensor) : naming.node(event.node ?? -1);
}

export function hookRegistered(event: HookRegistered, naming: Naming): string {
  const who = actor(event.where, event.hook);
  const node = event.node === null ? '' : naming.node(event.node);
  if (event.where === 'node pre') return `${who} is hung on ${node}: it will see what arrives there.`;
  if (event.where === 'node post') return `${who} is hung on ${node}: it will see what the node sends on.`;
  const on = holder(event, naming);
  if (event.where === 'post accumulate') return `${who} is hung on ${on}: it will run after each change of ${on}.grad.`;
  return `${who} is hung on ${on}: it will see the gradient of ${on} before ${node || `${on}.grad`} does.`;
}

export function hookRemoved(event: HookRemoved, naming: Naming): string {
  const on = event.where.startsWith('node') ? naming.node(event.node ?? -1) : holder(event, naming);
  return `${actor(event.where, event.hook)} is taken off ${on}.`;
}

export function hookRan(event: HookRan, naming: Naming): string {
  const who = actor(event.where, event.hook);
  const saw = event.before ? gradientContent(event.before) : null;
  const did = event.after ? `replaced it with ${gradientContent(event.after)}` : 'left it as it is';
  const node = event.node === null ? 'a node' : naming.node(event.node);
  const module = event.module ?? 'a module';
  switch (event.where) {
    case 'tensor':
      return `${who} on ${holder(event, naming)} saw the gradient ${saw ?? 'None'} and ${did}.`;
    case 'node pre':
      return `${who} of ${node} saw the incoming gradient ${saw ?? 'None'} and ${did}.`;
    case 'node post':
      return saw ? `${who} of ${node} saw what the node sends on, ${saw}, and ${did}.` : `${who} of ${node} ran.`;
    case 'post accumulate':
      return `${who} ran, because ${holder(event, naming)}.grad has changed${saw ? `: it is ${saw}` : ''}.`;
    case 'multi grad':
      return `${who} ran${saw ? ` and saw ${saw}` : ': the gradients that it waited for are there'}.`;
    case 'callback':
      return `${who} ran, at the end of the backward pass.`;
    case 'module forward pre':
      return `${who} of ${module} saw the input ${event.before ? content(event.before) : ''} and ${did}.`;
    case 'module forward':
      return `${who} of ${module} saw the output ${event.before ? content(event.before) : ''} and ${did}.`;
    case 'module backward pre':
      return `${who} of ${module} saw the gradient of its output, ${saw ?? 'None'}, and ${did}.`;
    case 'module backward':
      return `${who} of ${module} saw the gradient of its input, ${saw ?? 'None'}, and ${did}.`;
    case 'optimizer step pre':
      return `${who} of ${module} ran, before the step.`;
    case 'optimizer step post':
      return `${who} of ${module} ran, after the step.`;
    default:
      return `${who} ran.`;
  }
}

export function savedTensorUnpacked(event: SavedTensorUnpacked, naming: Naming): string {
  const back = `gives ${naming.node(event.node)} its ${event.slot} back`;
  return `${hookSubject('unpack hook', event.hook)} ${back}: ${content(event.value)}.`;
}
