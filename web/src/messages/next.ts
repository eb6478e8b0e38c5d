// What the page offers at the end of a backward pass and of a run.

export const next = 'What next';
export const whyIs = (grad: string, value: string) => `Why is ${grad} ${value}?`;
export const whyThisValue = (grad: string) => `Why does ${grad} have this value?`;
export const gradOf = (name: string) => `${name}.grad`;
export const noGrad = 'None';
export const whyDidItFail = 'Why did it fail?';
export const whyDidItHappen = (type: string) => `Why did the ${type} happen?`;
export const changeNumber = 'Change a number and run again';
export const nextExample = (title: string) => `Next: ${title}`;
export const playAgain = 'Play it again';
