// The situation of a run as a whole, which the stage shows beside or instead of its graph.

import * as say from '../messages/stage';
import type { ErrorRaised } from '../protocol/events';
import type { EventLog } from '../store/log';

const TELLING = [
  'transform_entered',
  'error_raised',
  'node_created',
  'tangent_computed',
  'op_applied',
  'tensor_created',
] as const;

/** Why a program that is over has no graph, with the line to look at; null when it has one. */
export function missingGraph(log: EventLog): string | null {
  let plain: { line: number; name: string | null } | null = null;
  let tracked: { line: number } | null = null;
  let transformed: { line: number | null } | null = null;
  let failed: { type: string; line: number | null; stage: string } | null = null;
  for (const event of log.of(TELLING)) {
    if (event.kind === 'transform_entered') transformed ??= event;
    if (event.kind === 'error_raised') failed = event;
    if (event.kind === 'node_created' || event.kind === 'tangent_computed') return null;
    if (event.kind === 'op_applied' && event.node) return null;
    if (event.kind !== 'tensor_created' || event.line === null) continue;
    if (event.info.requires_grad) tracked ??= { line: event.line };
    else plain ??= { line: event.line, name: nameAfter(log, event.seq, event.info.tensor) };
  }
  if (transformed) {
    const where = transformed.line === null ? say.torchFuncWorks : `Line ${transformed.line} works`;
    return say.withTransforms(where);
  }
  // What came before an error may be all right: that there is no graph is then not what went wrong.
  if (failed && (tracked || plain)) return null;
  if (tracked) {
    return say.noOpRecorded(tracked.line);
  }
  if (failed?.stage === 'syntax') return say.nothingRan;
  if (failed) return say.noTensorsBeforeError(failed.type);
  if (!plain) return say.noTensors;
  const what = plain.name ?? 'a tensor';
  return say.nothingRequiresGrad(plain.line, what);
}

/** How a run ends that fails later than the moment shown: `RuntimeError at line 9`; null where it does not, or is there. */
export function failureAhead(ended: ErrorRaised | null, seq: number): string | null {
  if (!ended || ended.seq <= seq) return null;
  return `${ended.type}${ended.line === null ? '' : say.atLine(ended.line)}`;
}

function nameAfter(log: EventLog, seq: number, tensor: number): string | null {
  for (const naming of log.of(['tensor_named'], seq + 1, seq + 200)) if (naming.tensor === tensor) return naming.name;
  return null;
}
