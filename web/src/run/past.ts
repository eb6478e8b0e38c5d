// Values of a run at any of its moments, which the server finds in the log or by running the program again.

import * as say from '../messages/past';
import type { Answer, Scalar, SetBreakpoints, TensorElement, TensorMeasured } from '../protocol/events';
import { ServerError } from './api';

/** Elements of a tensor: those from `begin` up to `end` of each dimension, all where these end. */
export type Part = { seq: number; tensor: number; of: 'data' | 'grad'; begin: number[]; end: number[] };
export type Values = {
  seq: number;
  source: 'log' | 'run';
  whole: number[];
  shape: number[];
  dtype: string;
  values: (TensorElement | bigint)[];
};

/** From event `seq` on, the expression of this number has another value: a number, a text, or none yet. */
export type Point = [expression: number, seq: number, number: Scalar | null, text: string | null];
/** What comes while expressions are evaluated: points up to the event `seq` of `last`, and at the end how it ended. */
export type CurvePart =
  | { unusable: [expression: number, reason: string][] }
  | { points: Point[]; seq: number; last: number }
  | { done: true }
  | { refusal: string };

/** Elements of a tensor at a moment of a session's run. */
export async function readValues(session: string, part: Part, signal?: AbortSignal): Promise<Values> {
  const text = await (await post(session, 'values', part, signal)).text();
  const values: Values = JSON.parse(text.replace(LARGE, '"$1"'));
  values.values = values.values.map((value) => (typeof value === 'string' && /\d/.test(value) ? BigInt(value) : value));
  return values;
}

/** Whole numbers that JSON's numbers may round: floats have a point or an exponent. */
const LARGE = /(?<=[[,])(-?\d{16,})(?=[,\]])/g;

/** All elements of a tensor at a moment of a session's run in few numbers. */
export async function measure(
  session: string,
  { seq, tensor, of }: Pick<Part, 'seq' | 'tensor' | 'of'>,
  signal?: AbortSignal,
): Promise<TensorMeasured> {
  const command = { command: 'measure_tensor', tensor, of };
  const { answer }: { answer: Answer } = await (await post(session, 'ask', { seq, command }, signal)).json();
  if (answer.answer !== 'tensor_measured') throw new ServerError(say.theServerAnswered(answer.answer));
  return answer;
}

/** What expressions were over a whole run; `take` gets each part as it comes. */
export async function readCurves(
  session: string,
  expressions: readonly string[],
  take: (part: CurvePart) => void,
  signal: AbortSignal,
): Promise<void> {
  await readLines(await post(session, 'watch', { expressions }, signal), take);
}

/** A stop of breakpoints in a program that was run again: its event, their ids, and the value of an expression there. */
export type Stop = { seq: number; ids: readonly number[]; text: string; refused: boolean };
type StopPart =
  | { stop: [seq: number, ids: number[], text: string, refused: boolean] }
  | { done: true; left_out: boolean }
  | { refusal: string };
type Stops = { seq: number; breakpoints: SetBreakpoints['breakpoints']; expression?: string };

/** Where breakpoints stop a program up to an event; `take` gets each stop as it comes. Rejects with the reason for none. */
export async function findStops(
  session: string,
  wanted: Stops,
  take: (stop: Stop) => void = () => {},
  signal?: AbortSignal,
): Promise<{ stops: Stop[]; leftOut: boolean }> {
  const stops: Stop[] = [];
  let leftOut = false;
  let refusal: string | null = null;
  await readLines<StopPart>(await post(session, 'stops', wanted, signal), (part) => {
    if ('stop' in part) {
      const [seq, ids, text, refused] = part.stop;
      stops.push({ seq, ids, text, refused });
      take(stops.at(-1)!);
    } else if ('refusal' in part) refusal = part.refusal;
    else leftOut = part.left_out;
  });
  if (refusal !== null) throw new ServerError(refusal, 409);
  return { stops, leftOut };
}

/** Reads an answer of lines of JSON. */
async function readLines<T>(response: Response, take: (part: T) => void): Promise<void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop()!;
    for (const line of lines) take(JSON.parse(line));
  }
  if (rest) take(JSON.parse(rest));
}

async function post(session: string, what: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`/api/sessions/${encodeURIComponent(session)}/${what}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ServerError(say.serverSilent);
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => null);
  throw new ServerError(answer?.error?.message ?? say.theServerAnswered(response.status), response.status);
}
