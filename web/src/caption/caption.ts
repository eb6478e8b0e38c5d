// The caption: one or two sentences for each step, which name the actor, its numbers and the result in the reader's names.

import { isolated } from '../format/bidi';
import type { ErrorRaised, Event, NodeStarted } from '../protocol/events';
import type { EventLog } from '../store/log';
import type { Moment } from '../timeline/moments';
import type { RunState } from '../timeline/state';
import {
  backwardFinished,
  backwardStarted,
  gradAccumulated,
  gradCleared,
  gradientCaptured,
  nodeRan,
  optimizerStepped,
} from './backward';
import { opApplied, requiresGradChanged, tensorCreated, tensorMutated } from './forward';
import { hookRan, hookRegistered, hookRemoved, savedTensorUnpacked } from './hooks';
import { Naming } from './naming';
import {
  checkpointEntered,
  recomputationFinished,
  recomputationStarted,
  savedTensorPacked,
  tangentComputed,
} from './retention';
import type { OpSentence } from './template';

export type { OpSentence } from './template';

const MOST_PRINTED = 80;

/** The sentence of a moment; `ops` is the catalogue, which gives the sentences of nodes their verbs. */
export function sentence(state: RunState, moment: Moment, log: EventLog, ops: readonly OpSentence[] = []): string {
  const events = log.events.slice(moment.first, moment.last + 1);
  const main = events.find((event) => event.kind === moment.kind);
  if (!main) return `${moment.title}.`;
  // A node whose step ends before it has sent anything is about to.
  const after = log.events[moment.last + 1]?.kind;
  const failing = after === 'error_raised' || after === 'recomputation_started';
  return speak(main, events, new Naming(state), ops, failing);
}

function speak(
  main: Event,
  events: readonly Event[],
  naming: Naming,
  ops: readonly OpSentence[],
  failing: boolean,
): string {
  switch (main.kind) {
    case 'program_started':
      return `${main.filename} starts.`;
    case 'tensor_created':
      return tensorCreated(main, naming);
    case 'tensor_named':
      return `${main.name} is now the name of ${naming.tensor(main.tensor)}.`;
    case 'tensor_kept':
      return `${main.holder} keeps ${naming.tensor(main.tensor)}, and the graph behind it.`;
    case 'tensor_mutated':
      return tensorMutated(main, naming);
    case 'requires_grad_changed':
      return requiresGradChanged(main, naming);
    case 'tensor_released':
      return `Nothing in the program refers to ${naming.tensor(main.tensor)} any longer.`;
    case 'node_created':
      if (main.tensor === null) return `The tape gets the node ${main.name}.`;
      return `${naming.leaf(main.tensor)} gets its ${main.name} node, where gradients will arrive.`;
    case 'node_released':
      return `${naming.node(main.node)} is dropped from the graph.`;
    case 'op_applied':
      return opApplied(main, events, naming, ops);
    case 'module_described':
    case 'module_entered':
      return `${main.path} is called.`;
    case 'module_left':
      return 'A call of a module is over.';
    case 'transform_entered':
      return `${main.transform} runs a function.`;
    case 'transform_left':
      return 'A transform is done.';
    case 'round_started':
      return `Round ${main.round} of ${main.text} begins.`;
    case 'loop_finished':
      return `The loop is over after ${main.rounds} ${main.rounds === 1 ? 'round' : 'rounds'}.`;
    case 'function_entered':
      return `${main.name}() is called.`;
    case 'function_left':
      return 'A call of a function is over.';
    case 'grad_mode_changed':
      return main.mode === 'grad' ? 'Ops are recorded again.' : 'Ops are not recorded from here on.';
    case 'graph_rebased':
      return `${naming.tensor(main.tensor)} gets ${main.node.name} as its grad_fn, because it was changed in place.`;
    case 'backward_started':
      return backwardStarted(main, naming);
    case 'node_started':
      return nodeRan(main, events, naming, ops, failing);
    case 'gradient_sent':
      return `${naming.node(main.node)} sends a gradient to ${naming.receiver(main.to_node, main.output_nr)}.`;
    case 'hook_registered':
      return hookRegistered(main, naming);
    case 'module_hook_registered':
      return `The hook ${main.hook} is hung on ${main.module}: it runs where the module is called.`;
    case 'hook_removed':
      return hookRemoved(main, naming);
    case 'hook_ran':
      return hookRan(main, naming);
    case 'saved_tensor_packed':
      return savedTensorPacked(main, naming);
    case 'saved_tensor_unpacked':
      return savedTensorUnpacked(main, naming);
    case 'checkpoint_entered':
      return checkpointEntered(main);
    case 'checkpoint_left':
      return 'The checkpointed function is done.';
    case 'recomputation_started':
      return recomputationStarted(main, naming);
    case 'recomputation_finished':
      return recomputationFinished(main, events, naming, ops);
    case 'tangent_computed':
      return tangentComputed(main, naming);
    case 'node_finished':
      return `${naming.node(main.node)} is done.`;
    case 'buffer_freed':
      return `${naming.node(main.node)} frees ${main.slot}.`;
    case 'grad_accumulated':
      return gradAccumulated(main, naming);
    case 'gradient_captured':
      return gradientCaptured(main, naming);
    case 'grad_cleared':
      return gradCleared(main, naming);
    case 'backward_finished':
      return backwardFinished(main, naming);
    case 'optimizer_stepped':
      return optimizerStepped(main, naming);
    case 'output_printed':
      return printed(main.text);
    case 'warning_raised':
      return `${main.category}: ${isolated(main.message)}${/[.!?”]$/.test(main.message.trimEnd()) ? '' : '.'}`;
    case 'error_raised':
      return raised(main, events, naming.state.history.outcomes.isCaught(main));
    case 'paused':
      return main.line === null ? 'The program is paused.' : `The program is paused at line ${main.line}.`;
    case 'resumed':
      return 'The program goes on.';
    case 'value_changed':
      return `You set ${main.target} to ${main.expression.replace(/\.$/, '')}.`;
    case 'program_finished':
      if (main.status === 'cut') return 'The record of this run ends here.';
      return main.status === 'stopped' ? 'The program was stopped.' : 'The program is over.';
    default:
      return main satisfies never;
  }
}

function printed(text: string): string {
  const [line = '', ...more] = text.trim().split('\n');
  const letters = [...line];
  const shown = letters.length > MOST_PRINTED ? `${letters.slice(0, MOST_PRINTED - 1).join('')}…` : line;
  if (more.length > 0) return `The program prints “${isolated(`${shown} …`)}”, ${more.length + 1} lines.`;
  return shown ? `The program prints “${isolated(shown)}”.` : 'The program prints an empty line.';
}

function raised(event: ErrorRaised, events: readonly Event[], caught: boolean): string {
  const where = event.line === null ? '' : ` at line ${event.line}`;
  if (event.stage === 'syntax') {
    return `The program cannot start: ${isolated(event.message)}${where}${event.column === null ? '' : `, column ${event.column}`}.`;
  }
  if (event.stage === 'limit') return `Stopped${where}: ${isolated(event.message)}`;
  const begins = caught ? `The program catches an error${where}` : `Stopped${where}`;
  // What to do about it is in the inspector; here it would push the cause out of sight.
  if (event.diagnosis) return `${begins}: ${isolated(event.diagnosis.cause)}`;
  const running = events.find((other): other is NodeStarted => other.kind === 'node_started');
  const message = event.message.trim().replace(/([^.])$/, '$1.');
  return `${begins}${running ? ' in the backward pass' : ''}: ${event.type}: ${isolated(message)}`;
}
