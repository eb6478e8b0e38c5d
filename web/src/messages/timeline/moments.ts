// The names of moments where only a few words have room.

export const inPlace = (op: string) => `${op} in place`;
export const requiresGradOn = 'requires_grad on';
export const requiresGradOff = 'requires_grad off';
export const checkpoint = (called: string) => `checkpoint ${called}`;
export const checkpointRunsAgain = 'checkpoint runs again';
export const checkpointHasRunAgain = 'checkpoint has run again';
export const backwardPassDone = 'backward pass done';
export const node = 'node';
export const hook = (called: string) => `hook ${called}`;
export const gradientKept = 'gradient kept';
export const tangentComputed = 'tangent computed';
export const savedTensorUnpacked = 'saved tensor unpacked';
export const gradCleared = 'grad cleared';
export const printed = (text: string) => `print: ${text}`;
export const changed = (target: string) => `changed ${target}`;
export const program = (status: string) => `program ${status === 'ok' ? 'done' : status}`;
