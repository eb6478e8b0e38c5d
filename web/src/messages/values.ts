// What is said of the elements of a tensor, however they are looked at.

import type { Said } from './said';

export const elementIs = (index: Said, value: Said) => `${index} = ${value}`;
export const whereDoesComeFrom = (element: Said) => `Where does ${element} come from?`;
export const scaleFromTo = (least: Said, most: Said) => `Colour scale from ${least} to ${most}, zero in the middle`;
export const noFiniteElements = 'No finite elements.';
export const tooWide = 'These numbers lie too far apart for bins of equal width.';
export const histogramOf = (label: Said, count: Said, from: Said, to: Said, top: Said) =>
  `Histogram of ${label}: ${count} from ${from} to ${to}, at most ${top} in a bin`;
export const upTo = (count: Said) => `up to ${count}`;
export const upToByLogarithm = (count: Said) => `up to ${count}, log scale`;
export const besideThese = (others: Said) => `Beside these: ${others}.`;
export const howToLook = 'How to look at it';
export const modes = { numbers: 'Numbers', heatmap: 'Heatmap', histogram: 'Histogram' };
export const empty = 'Empty: no elements.';
export const onMeta = 'On the device meta: it has a shape, and no elements.';
export const partChanged = 'A part of it was changed: its elements are not known at this step.';
export const theFirstOf = (shown: Said, count: Said) => `The first ${shown} of ${count} elements.`;
export const onlyTheFirst =
  'A recording without its program holds no more of them. Run the program here to see the others.';
export const onItsWay =
  'Of a gradient on its way the run keeps no more. Those of a leaf are all in its .grad; retain_grad() keeps those of any other tensor.';
export const showAllValues = 'Show all values';
export const allValuesOf = (label: Said) => `${label}, all values`;
export const dim = (dim: Said) => `dim ${dim}`;
export const indexOf = (size: Said) => `of ${size}`;
export const rows = 'rows';
export const columns = 'columns';
export const elements = 'elements';
export const earlier = (what: Said) => `Earlier ${what}`;
export const later = (what: Said) => `Later ${what}`;
export const previousIndex = (dim: Said) => `Previous index of dim ${dim}`;
export const nextIndex = (dim: Said) => `Next index of dim ${dim}`;
export const dimAs = (axis: Said) => `Dim shown as ${axis}`;
export const of = 'of';
export const runningAgain = 'Running the program again up to this step…';
export const fromRunningAgain = 'From running the program again up to this step.';
export const tryAgain = 'Try again';
export const measureAll = 'All statistics';
export const ofFinite = (count: Said, all: Said) => `Of the ${count} finite elements of ${all}:`;
export const notFinite = (what: Said, count: Said) => `${what} of ${count} elements`;
export const infinite = (count: Said) => `${count} infinite`;
export const rounded =
  'Whole numbers beyond 2⁵³ are rounded here: a browser’s numbers hold no more. Run the program here to read them exactly.';
export const copyAs = (form: Said) => `Copy as ${form}`;
export const forms = { text: 'text', python: 'Python', csv: 'CSV' };
export const copy = 'Copy:';
export const copied = (what: Said, form: Said) => `Copied ${what} as ${form}.`;
export const all = 'all of it';
export const whatIsShown = 'what is shown';
export const notCopied = 'The browser does not let the page copy.';
export const pin = 'Pin';
export const pinTitle = 'Keep this value to compare another with it';
export const unpin = 'Unpin';
export const pinned = 'Pinned:';
export const atStep = (step: Said) => `at step ${step}`;
export const compareWith = (label: Said) => `Compare with ${label}`;
export const comparison = (one: Said, other: Said) => `${one} beside ${other}`;
export const hide = 'Hide the comparison';
export const differenceOf = 'difference: this − pinned';
export const same = 'The same in every element that is shown.';
export const largestDifference = (amount: Said) => `Largest difference of those that are shown: ${amount}.`;
export const shapesDiffer = (one: Said, other: Said) => `${one} and ${other}: no difference of two shapes.`;
export const valueWhenSaved = 'Value when it was saved';
export const sharesItsMemoryWith = 'Shares its memory with';
