// Texts of a lesson as one HTML file.

export const kind = 'Lesson';
export const whatItIs = 'This file holds a lesson and recordings of its programs. It loads nothing and sends nothing.';
export const whatItCannot =
  'It answers predictions from the recordings. It cannot run a program that you change: for that, the lesson needs a Backscope server.';
export const changesNeedServer =
  'A changed program needs a Backscope server to run it, and this file has none. Think of a change, then compare it with the solution.';
export const showSolution = 'Show a solution';
export const showProgram = 'Show the program as it was';
export const isDamaged = 'The lesson in this file is damaged. Ask for it again.';
