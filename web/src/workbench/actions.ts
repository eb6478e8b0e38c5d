// The actions of the page, declared once: the keys, the palette and the sheet of keys read them from here.

import { stopPointOf } from '../debugger/breakpoint';
import type { StepTo } from '../debugger/debugger.svelte';
import type { Filter } from '../find/filter';
import type { does, groups } from '../messages/page/actions';
import { SPEEDS } from '../run/speed';
import { theme } from '../theme/theme.svelte';
import { type PanelName, panels } from '../widgets/panels.svelte';
import { share } from './link/share.svelte';
import { palette } from './palette.svelte';
import type { Workbench } from './workbench.svelte';

export type ActionId = keyof typeof does;
export type Group = keyof typeof groups;

/** `keys`: as `chordOf` writes them, the first of which is shown. */
export type Action = {
  id: ActionId;
  group: Group;
  keys: readonly string[];
  /** Means the same while one types. */
  whileTyping: boolean;
  /** Means the same in a field of one line, which has no pages to turn. */
  pages: boolean;
  /** A button, a link or a row that has the keyboard takes the key for itself. */
  yields: boolean;
  /** Whether it can be done now; a key that cannot is left to the browser, but for function keys. */
  offered: (bench: Workbench) => boolean;
  run: (bench: Workbench) => void;
};

type Rest = Partial<Pick<Action, 'whileTyping' | 'pages' | 'yields' | 'offered'>>;

function action(
  id: ActionId,
  group: Group,
  keys: readonly string[],
  run: (bench: Workbench) => void,
  { whileTyping = false, pages = false, yields = false, offered = () => true }: Rest = {},
): Action {
  return { id, group, keys, run, whileTyping, pages, yields, offered };
}

/** Fetches the module that saves files. */
export const download = () => import('./download');

/** Fetches the answers to questions about time. */
export const back = () => import('../debugger/past/back');

const hasRun = ({ run }: Workbench): boolean => run !== null && run.length > 0;
const isServed = ({ served }: Workbench): boolean => served;
const inLesson = ({ turnLesson }: Workbench): boolean => turnLesson !== null;
const isLive = ({ live }: Workbench): boolean => live;

function step(id: ActionId, key: string, to: StepTo): Action {
  return action(id, 'debugger', [key], (bench) => void bench.debugger.step(to), {
    whileTyping: true,
    offered: isLive,
  });
}

function filter(id: ActionId, kind: Extract<Filter['kind'], ActionId>): Action {
  return action(id, 'stage', [], (bench) => bench.find.toggle({ kind }), { offered: hasRun });
}

function room(id: Extract<ActionId, PanelName>, keys: readonly string[] = []): Action {
  return action(id, 'rooms', keys, () => panels.call(id));
}

function speed(by: 1 | -1): (bench: Workbench) => void {
  return ({ playback }) => playback.choose(SPEEDS[SPEEDS.indexOf(playback.speed) + by] ?? playback.speed);
}

function hasCurrentRun({ run, stale, served }: Workbench): boolean {
  return served && run !== null && run.cursor >= 0 && !stale;
}

export const ACTIONS: readonly Action[] = [
  action('palette', 'page', ['Mod+k'], () => palette.toggle(), {
    whileTyping: true,
    offered: () => palette.here,
  }),
  action('forward', 'steps', ['ArrowRight'], (bench) => bench.step(1)),
  action('back', 'steps', ['ArrowLeft'], (bench) => bench.step(-1)),
  action('play', 'steps', ['Space'], (bench) => bench.togglePlaying(), { yields: true }),
  action('start', 'steps', ['Home'], (bench) => bench.moveTo(-1)),
  action('end', 'steps', ['End'], (bench) => bench.moveTo((bench.run?.length ?? 0) - 1)),
  action('nextBackward', 'steps', ['n'], (bench) => bench.jumpBackward(1)),
  action('previousBackward', 'steps', ['p'], (bench) => bench.jumpBackward(-1)),
  action('playBackward', 'steps', ['b'], (bench) => bench.playBackward()),
  action('faster', 'steps', ['>'], speed(1), { offered: ({ playback }) => playback.speed !== SPEEDS.at(-1) }),
  action('unit', 'steps', ['u'], ({ playback, run }) => run && playback.nextUnit(run), {
    offered: ({ run }) => run !== null && run.units.length > 1,
  }),
  action('slower', 'steps', ['<'], speed(-1), { offered: ({ playback }) => playback.speed !== SPEEDS[0] }),
  action('nextPage', 'steps', ['PageDown'], (bench) => bench.turnLesson?.(1), { pages: true, offered: inLesson }),
  action('previousPage', 'steps', ['PageUp'], (bench) => bench.turnLesson?.(-1), { pages: true, offered: inLesson }),
  action('run', 'program', ['Mod+Enter'], (bench) => bench.begin(), {
    whileTyping: true,
    offered: ({ locked, opening, run, served }) => served && !opening.busy && (!locked || run !== null),
  }),
  action('stop', 'program', [], (bench) => bench.stop(), { offered: ({ running, stopping }) => running && !stopping }),
  action('pauseFirst', 'program', [], (bench) => bench.begin(null, null, { pause: true }), {
    offered: ({ locked, opening, served }) => served && !opening.busy && !locked,
  }),
  action('error', 'program', [], (bench) => bench.moveToSeq(bench.run?.timeline.history.outcomes.ended?.seq ?? 0), {
    offered: ({ run }) => !!run?.timeline.history.outcomes.ended,
  }),
  action(
    'breakpoint',
    'debugger',
    ['F9'],
    (bench) => {
      const point = bench.stale ? null : stopPointOf(bench.selection);
      if (point) return bench.debugger.breakpoints.toggle(point);
      const line = bench.run?.moment?.line;
      if (line != null) bench.debugger.toggleLine(line, bench.stale);
    },
    {
      offered: ({ run, selection, served }) => served && (run?.moment?.line != null || stopPointOf(selection) !== null),
    },
  ),
  action('resume', 'debugger', ['F8'], (bench) => bench.debugger.toggle(), { whileTyping: true, offered: isLive }),
  step('line', 'F10', 'line'),
  step('into', 'F11', 'into'),
  step('out', 'Shift+F11', 'out'),
  step('node', 'F7', 'node'),
  step('moment', 'Shift+F7', 'moment'),
  step('backward', 'Shift+F8', 'backward'),
  step('finish', 'Shift+F10', 'end'),
  action('runToHere', 'debugger', ['Mod+F10'], (bench) => bench.run && bench.debugger.runTo(bench.run.actingSeq), {
    whileTyping: true,
    offered: hasCurrentRun,
  }),
  action('backBreak', 'debugger', ['Mod+F8'], (bench) => void back().then((to) => to.backToBreakpoint(bench)), {
    whileTyping: true,
    offered: (bench) => bench.served && hasRun(bench),
  }),
  action('backNan', 'debugger', [], (bench) => void back().then((to) => to.backToNan(bench)), { offered: hasRun }),
  action('backWrite', 'debugger', [], (bench) => void back().then((to) => to.backToWrite(bench)), { offered: hasRun }),
  action('find', 'stage', ['/', 'f'], (bench) => bench.find.summon(), { offered: ({ run }) => run !== null }),
  action('zoomIn', 'stage', ['+', '='], (bench) => bench.view?.zoom(1.25)),
  action('zoomOut', 'stage', ['-'], (bench) => bench.view?.zoom(0.8)),
  action('fit', 'stage', ['0'], (bench) => bench.view?.fit()),
  action('fold', 'stage', ['Enter'], (bench) => void bench.toggleFold(), {
    yields: true,
    offered: (bench) => bench.canFold,
  }),
  action('questions', 'stage', ['?'], (bench) => bench.summonQuestions()),
  action('putAway', 'stage', ['Escape'], (bench) => {
    if (bench.why.putAway()) return;
    if (bench.selection) bench.select(null);
    else bench.find.dropFilters();
  }),
  filter('nan', 'nan'),
  filter('held', 'held'),
  filter('freed', 'freed'),
  filter('unreached', 'unreached'),
  action('holders', 'stage', [], (bench) => bench.askHolders(), { offered: ({ run }) => run?.holdsMemory === true }),
  action('table', 'rooms', ['t'], () => panels.toggleTable()),
  room('code', ['e']),
  room('console'),
  room('inspector'),
  action('debugger', 'rooms', [], () => panels.call('debugger'), { offered: isServed }),
  action('losses', 'rooms', [], () => panels.toggleRows('training'), { offered: hasRun }),
  action('buffers', 'rooms', [], () => panels.toggleRows('buffers'), { offered: hasRun }),
  action('compare', 'rooms', ['c'], () => panels.toggleRows('differences'), { offered: hasRun }),
  action(
    'watch',
    'rooms',
    [],
    () => {
      panels.watching = true;
    },
    { offered: isServed },
  ),
  action(
    'note',
    'steps',
    ['w'],
    ({ notes, run }) => {
      if (run) notes.toggle(run.cursor);
    },
    { offered: ({ lesson, run, served }) => served && !lesson && run !== null && run.cursor >= 0 },
  ),
  action('collect', 'page', ['m'], (bench) => bench.collect(), {
    // Also without a run: what was collected before is there.
    offered: (bench) => bench.served && !(bench.lecturing && bench.lesson),
  }),
  action('share', 'page', [], (bench) => void share.copy(bench), { offered: isServed }),
  action('exports', 'page', [], () => panels.callExports(), {
    offered: (bench) => bench.served && hasRun(bench),
  }),
  action('open', 'page', [], ({ trace }) => trace.choose?.(), { offered: ({ trace }) => trace.choose !== null }),
  action('export', 'page', [], (bench) => void download().then(({ exportTrace }) => exportTrace(bench)), {
    offered: hasRun,
  }),
  action('theme', 'page', [], () => theme.toggle()),
];

/** What an action's page of the declaration is looked up by: `Shift+F7`, `Mod+Enter`, `?`. */
export function chordOf(event: KeyboardEvent): string {
  const key = event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toLowerCase() : event.key;
  // What Shift makes of a sign is already another sign.
  const shift = event.shiftKey && event.key.length > 1 ? 'Shift+' : '';
  return `${event.ctrlKey || event.metaKey ? 'Mod+' : ''}${event.altKey ? 'Alt+' : ''}${shift}${key}`;
}

const BY_CHORD = new Map(ACTIONS.flatMap((one) => one.keys.map((key) => [key, one] as const)));

/** The action of a chord; null where it has none. */
export function actionOf(chord: string): Action | null {
  return BY_CHORD.get(chord) ?? null;
}

const SIGNS: Record<string, string> = { ArrowRight: '→', ArrowLeft: '←', Escape: 'Esc', '-': '−' };
const MAC = /Mac|iP(hone|ad)/.test(navigator.platform);

/** The keys of a chord as a reader finds them on the keyboard. */
export function keysOf(chord: string): string[] {
  return chord.split(/(?<=\w)\+/).map((key) => {
    if (key === 'Mod') return MAC ? '⌘' : 'Ctrl';
    return SIGNS[key] ?? (key.length === 1 ? key.toUpperCase() : key);
  });
}
