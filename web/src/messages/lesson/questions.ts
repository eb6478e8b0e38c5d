// Texts of the questions of lessons.

import type { Said } from '../said';

export const check = 'Check';
export const answerTo = (question: Said) => `${question}, your answer`;
export const readAs = (value: Said) => `Read as ${value}`;
export const typeOnTheStage = (name: Said) => `Type your answer at ${name} on the stage.`;
export const goToTheField = 'Go to the field';
export const youAnswered = (text: Said) => `You answered ${text}`;
export const isRight = 'right';
export const isWrong = 'not right';
export const rightAnswer = 'the right answer';
export const options = 'Options';
export const optionKeys = 'The keys 1 to 9 choose an option.';
export const pointAtTheStage = 'Click or tap the node on the stage, or choose it here.';
export const noNodeYet = 'Choose a node';
export const chosen = (name: Said) => `Chosen: ${name}`;
export const aNode = 'a node';
export const nodeOf = (name: Said, of: Said) => `${name} of ${of}`;
export const clickInOrder = 'Click the nodes on the stage in their order, or put them in order here.';
export const order = 'Order';
export const earlier = (name: Said) => `${name}: earlier`;
export const later = (name: Said) => `${name}: later`;
export const place = (name: Said, at: number, of: number) => `${name} is number ${at} of ${of}`;
export const takenOut = (name: Said) => `${name} has no number`;
export const notPlaced = 'no number yet';
export const reorderKeys = 'The arrow keys up and down move a node.';
