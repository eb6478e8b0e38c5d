// Texts of the rows under the timeline.

import { counted } from '../../format/number';
import { lineText } from '../../protocol/file-lines';

export const lossAndGradientNorms = 'Loss and gradient norms';
export const livesOfSavedTensors = 'Lives of saved tensors';
export const andMoreParameters = (parameters: number) => `And ${counted(parameters, 'more parameter')}.`;
export const savedOfWhatIsSelected = 'Saved, of what is selected';
export const theLargestSavedTensors = 'The largest saved tensors';
export const noLeafGradient = 'No gradient has arrived at a leaf in this run.';
export const nothingSaved = 'Nothing is saved for a backward pass in this run.';
export const noGrad = 'None';
export const nanOrInf = 'NaN or Inf';
export const notYet = 'not yet';
export const namesake = (label: string, line: number | null, nr: number | null) =>
  `${label}${line === null ? '' : `, line ${lineText(line)}`}${nr === null ? '' : `, no. ${nr}`}`;
export const spokenLoss = (name: string, value: string, passes: number) =>
  `${name}, ${value} at this step, from ${counted(passes, 'backward pass').replace(/passs$/, 'passes')}`;
export const spokenNorm = (name: string, norm: string) => `${name}, gradient norm ${norm} at this step`;
export const spokenLife = (label: string, bytes: string, state: string) => `${label}, ${bytes}, ${state}`;
