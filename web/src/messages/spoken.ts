// The words of formulas that are read aloud; `$1` is what they are about.

export const meanOf = 'mean of $1';
export const sumOver = 'sum over $1$2 of ';
export const sumOfAll = 'sum of';
export const transposed = 'transposed';
export const not = 'not';
