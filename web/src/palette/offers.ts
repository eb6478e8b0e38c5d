// The entries of the palette for what was typed: actions, examples, steps, lines and things on the stage.

import type { Row } from '../find/catalogue';
import { counted } from '../format/number';
import { does, groups } from '../messages/page/actions';
import * as say from '../messages/palette';
import { ACTIONS } from '../workbench/actions';
import type { Workbench } from '../workbench/workbench.svelte';
import { match } from './fuzzy';

export type Offer = {
  id: string;
  text: string;
  /** What kind of thing it is, at its right. */
  kind: string;
  /** The chord that does the same. */
  chord: string | null;
  run: () => void;
};

const PLACE = /^(step|s|line|l)?\s*(\d[\d,]*)$/i;
const MOST_EXAMPLES = 5;
const MOST_ROWS = 8;

/** Everything but what is on the stage, best first. */
export function offers(bench: Workbench, query: string): Offer[] {
  const typed = query.trim();
  return [...places(bench, typed), ...ranked([...actions(bench), ...notes(bench), ...examples(bench, typed)], typed)];
}

function actions(bench: Workbench): Offer[] {
  return ACTIONS.filter((action) => action.id !== 'palette' && action.offered(bench)).map((action) => ({
    id: action.id,
    text: does[action.id],
    kind: groups[action.group],
    chord: action.keys[0] ?? null,
    run: () => action.run(bench),
  }));
}

function notes(bench: Workbench): Offer[] {
  return bench.notes.all.map(({ moment, text }) => ({
    id: `note:${moment}`,
    text,
    kind: say.noteAtStep(counted(moment + 1)),
    chord: null,
    run: () => bench.moveTo(moment),
  }));
}

function examples(bench: Workbench, typed: string): Offer[] {
  const all = bench.catalogue.examples.map(
    (example): Offer => ({
      id: `example:${example.name}`,
      text: example.title,
      kind: say.example,
      chord: null,
      run: () => bench.openExample(example),
    }),
  );
  return typed === '' ? all : ranked(all, typed).slice(0, MOST_EXAMPLES);
}

function ranked(all: Offer[], typed: string): Offer[] {
  if (typed === '') return all;
  return all
    .flatMap((offer) => {
      const score = match(typed, offer.text);
      return score === null ? [] : [{ offer, score }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ offer }) => offer);
}

/** `step 120`, `line 3`, or a number, which may be either. */
function places(bench: Workbench, typed: string): Offer[] {
  const [, word = '', digits = ''] = PLACE.exec(typed) ?? [];
  const { run } = bench;
  const number = Number(digits.replaceAll(',', ''));
  if (digits === '' || !run) return [];
  const found: Offer[] = [];
  const kind = say.moment;
  if (!/^l/i.test(word) && number <= run.length) {
    const text = say.goToStep(number, run.length);
    found.push({ id: 'step', text, kind, chord: null, run: () => bench.moveTo(number - 1) });
  }
  if (!/^s/i.test(word) && number >= 1 && number <= bench.draft.split('\n').length) {
    found.push({ id: 'line', text: say.goToLine(number), kind, chord: null, run: () => bench.code.showLine(number) });
    const first = bench.stale ? undefined : run.timeline.momentsOfLine(number)[0];
    if (first !== undefined)
      found.push({
        id: 'line-step',
        text: say.firstStepOfLine(number),
        kind,
        chord: null,
        run: () => bench.moveTo(first),
      });
  }
  return found;
}

/** What a search on the stage found: the first of it, and a way to all. */
export function stageOffers(bench: Workbench, rows: readonly Row[], query: string): Offer[] {
  const found = rows.slice(0, MOST_ROWS).map(
    (row, index): Offer => ({
      id: `row:${index}`,
      text: textOf(row),
      kind: say.stage,
      chord: null,
      run: () => bench.find.visit(row),
    }),
  );
  if (rows.length > MOST_ROWS)
    found.push({
      id: 'all',
      text: say.findOnStage(query.trim()),
      kind: say.stage,
      chord: null,
      run: () => {
        bench.find.query = query.trim();
        bench.find.summon();
      },
    });
  return found;
}

function textOf({ item, op, names, line, module, node }: Row): string {
  const parts = [
    names[0] ?? '',
    item.kind === 'op' ? op : say.leaf,
    module,
    line === null ? '' : say.atLine(line),
    node === null || item.kind !== 'op' ? '' : `#${node}`,
  ];
  return parts.filter(Boolean).join(' · ');
}
