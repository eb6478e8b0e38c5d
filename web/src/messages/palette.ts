// Texts of the palette of commands.

import { counted } from '../format/number';
import { lineText } from '../protocol/file-lines';

export const title = 'All commands';
export const placeholder = 'A command, an example, a name, step 12, line 3';
export const offers = 'Commands';
export const nothing = (query: string) => `Nothing fits “${query}”. Escape closes this.`;
export const found = (count: number) => `${counted(count, 'entry').replace('entrys', 'entries')}.`;
export const close = 'Close';
export const example = 'Example';
export const moment = 'Go to';
export const stage = 'On the stage';
export const noteAtStep = (step: string) => `Note, step ${step}`;
export const open = 'open';
export const goToStep = (step: number, most: number) =>
  `Step ${step.toLocaleString('en')} of ${most.toLocaleString('en')}`;
export const goToLine = (line: number) => `Line ${line} of the program`;
export const firstStepOfLine = (line: number) => `First step of line ${line}`;
export const atLine = (line: number) => `line ${lineText(line)}`;
export const leaf = 'leaf';
export const findOnStage = (query: string) => `Find “${query}” on the stage`;
