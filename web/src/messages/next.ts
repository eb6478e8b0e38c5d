// What the page offers at the end of a backward pass and of a run.

import { lineText } from '../protocol/file-lines';
import type { Said } from './said';

export const next = 'What next';
export const whyIs = (grad: string, value: string) => `Why is ${grad} ${value}?`;
export const whyThisValue = (grad: string) => `Why does ${grad} have this value?`;
export const gradOf = (name: string) => `${name}.grad`;
export const noGrad = 'None';
export const whyDidItFail = 'Why did it fail?';
export const whyDidItHappen = (type: string) => `Why did the ${type} happen?`;
export const goToLine = (line: number) => `Go to line ${lineText(line)}`;
export const changeNumber = 'Change a number and run again';
export const nextExample = (title: string) => `Next: ${title}`;
export const playAgain = 'Play it again';

// What a run was noticed to have done.

export const noticed = 'Noticed in this run';
export const showMe = 'Show me';
export const moreNotes = (notes: number) => `${notes} more`;
export const fewerNotes = 'Fewer';
export const closeNote = 'Close this note';
export const and = (first: Said, last: Said) => `${first} and ${last}`;
export const others = (first: Said, second: Said, count: number) => `${first}, ${second} and ${count} more`;
export const someTensors = 'some leaves';

export const notCleared = (names: Said, isOne: boolean, between: Said) =>
  isOne
    ? `${names}.grad was not cleared between ${between}: it adds up.`
    : `The gradients of ${names} were not cleared between ${between}: they add up.`;
export const oneStep = (optimizer: Said | null, number: number) =>
  optimizer === null ? `update ${number}` : `${optimizer} step ${number}`;
export const twoSteps = (optimizer: Said | null, from: number, to: number) =>
  `${optimizer === null ? 'updates' : `${optimizer} steps`} ${from} and ${to}`;

export const notReached = (names: Said, why: Said) => `No backward pass reached ${names}${why}.`;
const at = (line: number | null) => (line === null ? '' : ` at line ${lineText(line)}`);
export const cutsTheWay = (op: Said, line: number | null) => `: ${op}${at(line)} cuts the way back`;
export const ranUnder = (mode: Said, line: number | null) =>
  line === null ? `: it is used under ${mode}` : `: line ${lineText(line)} runs under ${mode}`;
export const hasNoGradient = (op: Said, line: number | null) => `: ${op}()${at(line)} has no gradient`;
export const usedByNone = (isOne: boolean) => `: no op uses ${isOne ? 'it' : 'them'}`;
export const inNoLoss = (isOne: boolean) => `: no loss depends on ${isOne ? 'it' : 'them'}`;

export const changedNothing = (steps: Said, why: Said) => `${steps} changed nothing: ${why}.`;
export const noneChanged = (optimizer: Said, count: number, why: Said) =>
  `None of the ${count} ${optimizer} steps changed anything: ${why}.`;
export const stepsOf = (optimizer: Said, count: number, of: number, first: number) =>
  `${count} of ${of} ${optimizer} steps, from step ${first} on,`;
export const rateIsZero = 'the learning rate is 0';
export const noPassBefore = 'no backward pass came before';
export const emptiedAt = (line: number | null) =>
  line === null
    ? 'the gradients were emptied first'
    : `line ${lineText(line)} empties the gradients after the backward pass`;
export const noGradientSince = 'no gradient arrived since the step before';

export const words = { NaN: 'NaN', Infinity: 'infinity' } as const;
export const firstIn = (what: Said, name: Said, by: Said) => `The first ${what} is in ${name}${by}.`;
export const firstFrom = (what: Said, op: Said, line: number | null) =>
  `The first ${what} comes from ${op}${at(line)}.`;
export const fromOp = (op: Said, line: number | null) => `, from ${op}${at(line)}`;
export const madeAt = (line: number | null) => (line === null ? '' : `, made at line ${lineText(line)}`);
export const gradientOf = (node: Said, line: number | null) =>
  line === null ? `the gradient that ${node} sends` : `the gradient that ${node} of line ${lineText(line)} sends`;
export const afterStep = (optimizer: Said, number: number) => `, after ${optimizer} step ${number}`;
export const aTensor = 'a tensor';
export const aParameter = 'a parameter';
