// Texts of a lesson while it is written.

export const doesNotHold = 'This lesson does not hold yet.';
export const showsAgain = 'The lesson is shown again as soon as its file is mended.';
export const isLost =
  'The preview does not answer. Start `backscope lesson preview` again; this page then goes on by itself.';
