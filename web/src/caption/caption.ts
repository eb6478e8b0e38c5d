// The caption: one or two sentences for each step, which name the actor, its numbers and the result in the reader's names.

import { isolated } from '../format/bidi';
import type { ErrorRaised, Event } from '../protocol/events';
import { lineText } from '../protocol/file-lines';
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
import type { OpSentence } from './effect';
import { opApplied, requiresGradChanged, tensorCreated, tensorMutated } from './forward';
import { hookRan, hookRegistered, hookRemoved, savedTensorUnpacked } from './hook-sentences';
import { Naming } from './naming';
import {
  checkpointEntered,
  recomputationFinished,
  recomputationStarted,
  savedTensorPacked,
  tangentComputed,
} from './retention';
import { say } from './say';

export type { OpSentence } from './effect';

const MOST_PRINTED = 80;

/**
 * The sentence of a moment; `ops` is the catalogue, which says what nodes do to gradients. `foretells`: it says which errors lie ahead,
 * which may be what a question is about.
 */
export function sentence(
  state: RunState,
  moment: Moment,
  log: EventLog,
  ops: readonly OpSentence[] = [],
  foretells = true,
): string {
  const events = log.slice(moment.first, moment.last + 1);
  const main = events.find((event) => event.kind === moment.kind);
  if (!main) return `${moment.title}.`;
  // A node whose step ends before it has sent anything is about to.
  const after = log.at(moment.last + 1)?.kind;
  const failing = after === 'error_raised' || after === 'recomputation_started';
  const text = speak(main, events, new Naming(state), ops, failing, foretells);
  // Names of variables stay as they are.
  return text.startsWith('the ') ? `T${text.slice(1)}` : text;
}

function speak(
  main: Event,
  events: readonly Event[],
  naming: Naming,
  ops: readonly OpSentence[],
  failing: boolean,
  foretells: boolean,
): string {
  switch (main.kind) {
    case 'program_started':
      return say('program_started', { filename: main.filename });
    case 'source_added':
      return say('source_added', { filename: main.filename });
    case 'tensor_created':
      return tensorCreated(main, naming);
    case 'tensor_named':
      return say('tensor_named', { name: main.name, tensor: naming.tensor(main.tensor) });
    case 'tensor_kept':
      return say('tensor_kept', { holder: main.holder, tensor: naming.tensor(main.tensor) });
    case 'tensor_mutated':
      return tensorMutated(main, naming, foretells);
    case 'requires_grad_changed':
      return requiresGradChanged(main, naming);
    case 'tensor_released':
      return say('tensor_released', { tensor: naming.tensor(main.tensor) });
    case 'node_created':
      if (main.tensor === null) return say('node_created.other', { name: main.name });
      return say('node_created.leaf', { leaf: naming.leaf(main.tensor), name: main.name });
    case 'node_released':
      return say('node_released', { node: naming.node(main.node) });
    case 'op_applied':
      return opApplied(main, events, naming, ops, foretells);
    case 'module_described':
    case 'module_entered':
      return say('module_entered', { path: main.path });
    case 'module_left':
      return say('module_left');
    case 'transform_entered':
      return say('transform_entered', { transform: main.transform });
    case 'transform_left':
      return say('transform_left');
    case 'round_started':
      return say('round_started', { round: main.round, loop: main.text });
    case 'loop_finished':
      return say(main.rounds === 1 ? 'loop_finished.one' : 'loop_finished.several', { rounds: main.rounds });
    case 'function_entered':
      return say('function_entered', { name: main.name });
    case 'function_left':
      return say('function_left');
    case 'grad_mode_changed':
      return say(main.mode === 'grad' ? 'grad_mode_changed.on' : 'grad_mode_changed.off');
    case 'graph_rebased':
      return say('graph_rebased', { tensor: naming.tensor(main.tensor), node: main.node.name });
    case 'backward_started':
      return backwardStarted(main, naming);
    case 'node_started':
      return nodeRan(main, events, naming, ops, failing);
    case 'gradient_sent':
      return say('gradient_sent', {
        node: naming.node(main.node),
        receiver: naming.receiver(main.to_node, main.output_nr),
      });
    case 'hook_registered':
      return hookRegistered(main, naming);
    case 'module_hook_registered':
      return say('module_hook_registered', { hook: main.hook, module: main.module });
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
      return say('checkpoint_left');
    case 'recomputation_started':
      return recomputationStarted(main, naming);
    case 'recomputation_finished':
      return recomputationFinished(main, events, naming, ops);
    case 'tangent_computed':
      return tangentComputed(main, naming);
    case 'node_finished':
      return say('node_finished', { node: naming.node(main.node) });
    case 'buffer_freed':
      return say('buffer_freed', { node: naming.node(main.node), slot: main.slot });
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
      return say(/[.!?”]$/.test(main.message.trimEnd()) ? 'warning_raised.sentence' : 'warning_raised.phrase', {
        category: main.category,
        message: isolated(main.message),
      });
    case 'error_raised':
      return raised(main, events, naming.state.history.outcomes.isCaught(main));
    case 'paused':
      return main.line === null ? say('paused.plain') : say('paused.line', { line: lineText(main.line) });
    case 'resumed':
      return say('resumed');
    case 'value_changed':
      return say('value_changed', { target: main.target, expression: main.expression.replace(/\.$/, '') });
    case 'program_finished':
      if (main.status === 'cut') return say('program_finished.cut');
      return say(main.status === 'stopped' ? 'program_finished.stopped' : 'program_finished.over');
    default:
      return main satisfies never;
  }
}

function printed(text: string): string {
  const [line = '', ...more] = text.trim().split('\n');
  const letters = [...line];
  const shown = letters.length > MOST_PRINTED ? `${letters.slice(0, MOST_PRINTED - 1).join('')}…` : line;
  if (more.length > 0) return say('output_printed.lines', { text: isolated(`${shown} …`), count: more.length + 1 });
  return shown ? say('output_printed.line', { text: isolated(shown) }) : say('output_printed.empty');
}

function raised(event: ErrorRaised, events: readonly Event[], caught: boolean): string {
  const { line, column } = event;
  const where = line === null ? '' : say('error_raised.line', { line: lineText(line) });
  if (event.stage === 'syntax') {
    const at = column === null ? '' : say('error_raised.column', { column });
    return say('error_raised.syntax', { message: isolated(event.message), where: `${where}${at}` });
  }
  if (event.stage === 'limit') return say('error_raised.stopped', { where, cause: isolated(event.message) });
  // What to do about it is in the inspector; here it would push the cause out of sight.
  if (event.diagnosis) {
    const cause = isolated(event.diagnosis.cause);
    return say(caught ? 'error_raised.caught' : 'error_raised.stopped', { where, cause });
  }
  const message = isolated(event.message.trim().replace(/([^.])$/, '$1.'));
  const cause = say('error_raised.cause', { type: event.type, message });
  const running = events.some((other) => other.kind === 'node_started');
  if (running) return say(caught ? 'error_raised.caught_in_pass' : 'error_raised.stopped_in_pass', { where, cause });
  return say(caught ? 'error_raised.caught' : 'error_raised.stopped', { where, cause });
}
