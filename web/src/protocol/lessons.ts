// Lessons as the server gives them, one interface for each part of a lesson.
//
// Generated from server/backscope_server/lessons/; do not edit. After a change there, in the folder web:
//     python -m backscope_server.lessons.schema > src/protocol/lessons.json && node scripts/generate-protocol.mjs

export type LessonAnswer = Lesson | LessonTitle | LessonDraft | Verdict | NamedMoment;

/**
 * A lesson: its front matter and its blocks, in the order of the file; `lines` has the line of each key.
 */
export interface Lesson {
  name: string;
  title: string;
  goal: string;
  learned: string;
  minutes: number;
  needs: string[];
  lines: {
    [k: string]: number;
  };
  blocks: (TextBlock | ProgramBlock | StepBlock | PredictBlock | ChangeBlock | AsideBlock)[];
}
/**
 * Markdown between blocks.
 */
export interface TextBlock {
  kind: 'text';
  line: number;
  text: string;
}
/**
 * A program; `source_line` is the line of the file where its source begins, and `raises` the error that ends it.
 */
export interface ProgramBlock {
  kind: 'program';
  line: number;
  name: string;
  source: string;
  source_line: number;
  seed: number;
  raises: string | null;
}
/**
 * A moment to look at, with a text about it; `hide` has the panels that are not shown with it.
 */
export interface StepBlock {
  kind: 'step';
  line: number;
  program: string;
  at: Moment;
  text: string;
  hide: ('code' | 'console' | 'inspector' | 'debugger' | 'timeline')[];
}
/**
 * A moment as it is written, and its place in the recording, None until the program has run.
 */
export interface Moment {
  text: string;
  place: Place | null;
}
/**
 * A moment in the recording of a program: step number `step`, from 0, whose last event is `seq`.
 *
 * Values are read after the event `read_seq`, which is earlier where functions have returned at the end of the step.
 */
export interface Place {
  step: number;
  seq: number;
  read_seq: number;
}
/**
 * A prediction: the question, the feedback for wrong answers, and why the right answer is right.
 *
 * `otherwise` is the feedback for all other wrong answers, and `hide` has the panels that are not shown.
 */
export interface PredictBlock {
  kind: 'predict';
  line: number;
  program: string;
  at: Moment;
  text: string;
  hide: ('code' | 'console' | 'inspector' | 'debugger' | 'timeline')[];
  question: ValueQuestion | ChoiceQuestion | NodeQuestion | OrderQuestion;
  wrong: Wrong[];
  otherwise: string | null;
  right: string;
}
/**
 * A question about the value of an expression; a number may differ from it by `within`.
 */
export interface ValueQuestion {
  form: 'value';
  ask: string;
  within: number | null;
  answer: (NumberValue | TensorValue | NumbersValue | NoneValue | BoolValue | TextValue) | null;
}
/**
 * A number, also of a tensor without dims.
 */
export interface NumberValue {
  kind: 'number';
  number: number | ('NaN' | 'Infinity' | '-Infinity');
}
/**
 * A tensor: its shape and its elements in row-major order, a complex one as a pair.
 */
export interface TensorValue {
  kind: 'tensor';
  shape: number[];
  elements: (number | ('NaN' | 'Infinity' | '-Infinity') | (number | ('NaN' | 'Infinity' | '-Infinity'))[])[];
}
/**
 * Numbers in a row: a shape, a tuple, a list.
 */
export interface NumbersValue {
  kind: 'numbers';
  numbers: (number | ('NaN' | 'Infinity' | '-Infinity'))[];
}
/**
 * None.
 */
export interface NoneValue {
  kind: 'none';
}
/**
 * True or False, also of a tensor without dims.
 */
export interface BoolValue {
  kind: 'bool';
  bool: boolean;
}
/**
 * A text.
 */
export interface TextValue {
  kind: 'text';
  text: string;
}
/**
 * One of several options is the value of an expression; `answer` is its index.
 */
export interface ChoiceQuestion {
  form: 'choice';
  ask: string;
  options: ChoiceOption[];
  answer: number | null;
}
/**
 * An option: its expression, whose value is compared, and the label that the reader sees.
 */
export interface ChoiceOption {
  line: number;
  expression: string;
  label: string;
  value: (NumberValue | TensorValue | NumbersValue | NoneValue | BoolValue | TextValue) | null;
}
/**
 * A node is to be pointed at.
 */
export interface NodeQuestion {
  form: 'node';
  ask: string;
  answer: NamedNode | null;
}
/**
 * A node of a recording: its identity there, its class, and the step at which it runs.
 */
export interface NamedNode {
  node: number;
  name: string;
  step: number | null;
}
/**
 * Nodes are to be put in the order in which they run; `answer` has them in that order.
 */
export interface OrderQuestion {
  form: 'order';
  ask: string[];
  answer: NamedNode[] | null;
}
/**
 * The feedback for a wrong answer: the answer as it is written and as it was computed, and the text.
 *
 * For a choice `index` is the option.  `nodes` has one node for a node to be pointed at, several for an order.
 */
export interface Wrong {
  line: number;
  answer: string;
  confusion: string | null;
  text: string;
  index: number | null;
  value: (NumberValue | TensorValue | NumbersValue | NoneValue | BoolValue | TextValue) | null;
  nodes: NamedNode[] | null;
}
/**
 * A change to try: it is reached by a program whose `check` is true at the moment `at`.
 */
export interface ChangeBlock {
  kind: 'change';
  line: number;
  program: string;
  text: string;
  check: string;
  at: Moment;
  edit: Edit;
  missed: Missed[];
  otherwise: string | null;
  right: string;
  solution: string;
  solution_line: number;
}
/**
 * The part of a program that may be changed: its numbers, the lines `first` to `last`, or all of it.
 */
export interface Edit {
  of: 'numbers' | 'lines' | 'program';
  first: number | null;
  last: number | null;
}
/**
 * The feedback for a change that does not reach its aim: it is for a run in which `check` is true.
 */
export interface Missed {
  line: number;
  check: string;
  confusion: string | null;
  text: string;
}
/**
 * A text that the lesson can do without.
 */
export interface AsideBlock {
  kind: 'aside';
  line: number;
  title: string;
  text: string;
}
/**
 * A lesson in the list, with the numbers of its predictions and changes.
 */
export interface LessonTitle {
  name: string;
  title: string;
  goal: string;
  learned: string;
  minutes: number;
  needs: string[];
  predictions: number;
  changes: number;
}
/**
 * A lesson as its file is now: the lesson with its answers, or the faults for which it cannot be shown.
 *
 * `version` changes with the content of the file, whose path is `file`.
 */
export interface LessonDraft {
  version: string;
  file: string;
  lesson: Lesson | null;
  faults: LessonFault[];
}
/**
 * A fault of a lesson, at a line of its file; `line` is None where the file cannot be read.
 */
export interface LessonFault {
  line: number | null;
  message: string;
}
/**
 * The verdict on a change: `reached` or not, and the text for the reader, why it is right or the feedback.
 *
 * `problem` is the error that ended the program, or why there is nothing to evaluate.
 */
export interface Verdict {
  reached: boolean;
  text: string;
  problem: string | null;
}
/**
 * A step of a run as a lesson names it, with the program that was run, and the type of the error that ended it.
 *
 * `answer` is the value of an expression at that step, None where no question is about it.
 */
export interface NamedMoment {
  at: Moment;
  source: string;
  seed: number;
  raises: string | null;
  answer: (NumberValue | TensorValue | NumbersValue | NoneValue | BoolValue | TextValue) | null;
}
