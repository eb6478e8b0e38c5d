// A lesson as pages: the reader sees one thing at a time.

import type {
  AsideBlock,
  ChangeBlock,
  Lesson,
  Place,
  PredictBlock,
  ProgramBlock,
  StepBlock,
  TextBlock,
} from '../protocol/lessons';
import type { PanelName } from '../widgets/panels.svelte';

/** `program` is what the editor and the stage show; `asides` are closed texts below the page's own. */
type Shown = { program: ProgramBlock | null; asides: AsideBlock[] };
export type TextPage = Shown & { kind: 'text'; text: TextBlock };
export type StepPage = Shown & { kind: 'step'; block: StepBlock; program: ProgramBlock };
export type PredictPage = Shown & { kind: 'predict'; block: PredictBlock; program: ProgramBlock };
export type ChangePage = Shown & { kind: 'change'; block: ChangeBlock; program: ProgramBlock };
export type EndPage = Shown & { kind: 'end' };
export type Page = TextPage | StepPage | PredictPage | ChangePage | EndPage;

/** The pages of a lesson, in the order of its blocks; the last one is its end. */
export function pagesOf({ blocks }: Pick<Lesson, 'blocks'>): Page[] {
  const pages: Page[] = [];
  const programs = new Map<string, ProgramBlock>();
  let current: ProgramBlock | null = null;
  for (const block of blocks) {
    const last = pages.at(-1);
    if (block.kind === 'program') {
      current = block;
      programs.set(block.name, block);
      // A text above a program is about it.
      if (last?.kind === 'text') last.program = block;
    } else if (block.kind === 'text') pages.push({ kind: 'text', text: block, program: current, asides: [] });
    else if (block.kind === 'aside') last?.asides.push(block);
    else {
      const program: ProgramBlock | null = programs.get(block.program) ?? current;
      if (!program) continue;
      current = program;
      pages.push(shown(block, program));
    }
  }
  pages.push({ kind: 'end', program: current, asides: [] });
  return pages;
}

function shown(block: StepBlock | PredictBlock | ChangeBlock, program: ProgramBlock): Page {
  const rest = { program, asides: [] };
  if (block.kind === 'step') return { kind: 'step', block, ...rest };
  return block.kind === 'predict' ? { kind: 'predict', block, ...rest } : { kind: 'change', block, ...rest };
}

/** The moment that a page is about; null for a page without one, and for a change, which is tried. */
export function placeOf(page: Page): Place | null {
  return page.kind === 'step' || page.kind === 'predict' ? page.block.at.place : null;
}

/** The panels that are not shown with a page. */
export function hiddenOn(page: Page): readonly PanelName[] {
  return page.kind === 'step' || page.kind === 'predict' ? page.block.hide : [];
}

/** Whether the reader answers before the moment of the question is shown. */
export function isAskedBefore({ block }: PredictPage): boolean {
  return block.question.form === 'value' || block.question.form === 'choice';
}

/** The step from which on the answer is seen, once it is given: that of the moment, or that at which the last node runs. */
export function revealedAt({ block }: PredictPage): number | null {
  const { question, at } = block;
  if (question.form === 'value' || question.form === 'choice') return at.place?.step ?? null;
  const nodes = question.form === 'node' ? [question.answer] : (question.answer ?? []);
  const steps = nodes.flatMap((node) => (node?.step == null ? [] : [node.step]));
  return steps.length > 0 ? Math.max(...steps) : (at.place?.step ?? null);
}
