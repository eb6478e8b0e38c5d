// Protects: what the reader folds is one block with its count at every step and scale, and any round of it can be opened.

import { describe, expect, it } from 'vitest';
import { MirrorLayout } from '../../layout/mirror';
import { contains, overlaps } from '../../layout/rect';
import { goldens } from '../../protocol/goldens';
import { EventLog } from '../../store/log';
import { Timeline } from '../../timeline/timeline';
import { outline } from '../outline';
import { buildScene, type Scene } from '../scene';
import { keyOf, type Target, targetOf } from '../target';
import { type Folds, NO_FOLDS, readFolds, roundsOf, withFold, withOpened, writeFolds } from './folds';

function opened(name: string) {
  const own = { log: new EventLog() };
  const made = { timeline: new Timeline(own.log), layout: new MirrorLayout(own.log) };
  own.log.append(goldens().find(([golden]) => golden === name)![1]);
  made.layout.commit();
  return (folds: Folds, cursor = made.timeline.moments.length - 1): Scene =>
    buildScene(made.timeline.stateAt(cursor), made.layout, { selection: null, hover: null, folds });
}

const blocks = (scene: Scene, scale = 1) => scene.visible(scene.bounds, scale).blocks;

describe('a training loop', () => {
  const scene = opened('17_mlp');
  const all = scene(NO_FOLDS);
  const [round] = roundsOf(all.layout).values();
  const loop = targetOf(round!.outer);
  const third: Target = { ...(loop as Extract<Target, { type: 'loop' }>), round: 3 };

  it('of 20 rounds folds into one block that says so, and keeps it while one steps', () => {
    const folds = withFold(NO_FOLDS, loop, true);
    const [block, ...others] = blocks(scene(folds));
    expect(others).toEqual([]);
    expect(block!.detail).toBe('20 rounds, 1 to 20');
    expect(scene(folds).isFolded(loop, 1)).toBe(true);
    expect(scene(folds).visible(all.bounds).pills).toEqual([]);
    expect(blocks(scene(folds, 60))[0]!.rounds.length).toBeLessThan(20);
  });

  it('says of any of its rounds whether it is folded, begun or not', () => {
    const folds = withFold(withFold(NO_FOLDS, loop, true), third, false);
    for (const cursor of [1, 60]) {
      expect(scene(folds, cursor).isFolded(loop, 1)).toBe(true);
      expect(scene(folds, cursor).isFolded(third, 1)).toBe(false);
      expect(scene(folds, cursor).isFolded({ ...third, round: 20 } as Target, 1)).toBe(true);
      expect(scene(NO_FOLDS, cursor).isFolded(loop, 1)).toBe(false);
    }
  });

  it('shows a folded round as what acts while something in it does, forward and backward', () => {
    const folds = withFold(NO_FOLDS, third, true);
    const { rect } = all.layout.chunks.find((chunk) => roundsOf(all.layout).get(chunk)?.event.round === 3)!;
    const shown = { inside: 0, outside: 0 };
    for (let cursor = 0; scene(NO_FOLDS, cursor).state.seq < all.state.seq; cursor += 5) {
      const [block] = blocks(scene(folds, cursor));
      const { focus } = scene(NO_FOLDS, cursor);
      const within = focus !== null && overlaps(focus, rect);
      if (block) shown[within ? 'inside' : 'outside'] += 1;
      expect(block?.current ?? within).toBe(within);
    }
    expect(shown.inside).toBeGreaterThan(2);
    expect(shown.outside).toBeGreaterThan(20);
  });

  it('is one entry of the outline while it is folded, in place of what it hides', () => {
    const [entry, ...others] = outline(scene(withFold(NO_FOLDS, loop, true)));
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ id: keyOf(loop), expanded: false, description: '20 rounds, 1 to 20' });
    expect(outline(all).length).toBeGreaterThan(100);
  });

  it('shows the one round that is opened, between what is folded', () => {
    const folds = withFold(withFold(NO_FOLDS, loop, true), third, false);
    expect(blocks(scene(folds)).map(({ rounds }) => rounds.length)).toEqual([2, 17]);
    expect(scene(folds).visible(all.bounds).pills.length).toBeGreaterThan(0);
    expect(blocks(scene(withFold(folds, loop, false)))).toEqual([]);
  });

  it('opens the round of what one goes to, and leaves the others folded', () => {
    const folds = withFold(NO_FOLDS, loop, true);
    const column = all.layout.chunks.find((chunk) => roundsOf(all.layout).get(chunk)?.event.round === 3)!;
    const shown = scene(withOpened(folds, column.items[0]!, all.layout));
    expect(blocks(shown).map(({ rounds }) => rounds.length)).toEqual([2, 17]);
    expect(withOpened(NO_FOLDS, column.items[0]!, all.layout)).toBe(NO_FOLDS);
  });

  it('is selected by the title of a column', () => {
    const { rect } = all.layout.columns[2]!;
    expect(all.hit(rect!.x + 4, rect!.y - 24, 1)).toEqual(third);
  });
});

describe('a training loop that takes the gradient of a gradient', () => {
  const scene = opened('gradient_penalty_loop');
  const all = scene(NO_FOLDS);
  const [round] = roundsOf(all.layout).values();

  it('folds into one block with what its backward passes record', () => {
    expect(all.layout.chunks.some(({ up }) => up)).toBe(true);
    const found = blocks(scene(withFold(NO_FOLDS, targetOf(round!.outer), true)));
    expect(found.map(({ detail }) => detail)).toEqual(['3 rounds, 1 to 3']);
    expect(scene(withFold(NO_FOLDS, targetOf(round!.outer), true)).visible(all.bounds).pills).toEqual([]);
  });

  it('folds one round with all of its ops', () => {
    const [block] = blocks(scene(withFold(NO_FOLDS, targetOf(round!), true)));
    const ops = all.layout.items.filter(
      (item) => item.kind === 'op' && roundsOf(all.layout).get(all.layout.chunks[item.chunk]!) === round,
    );
    expect(block!.detail).toBe(`${ops.length} ops`);
  });
});

describe('a module', () => {
  const scene = opened('22_module_hooks');
  const [frame] = scene(NO_FOLDS).layout.chunks.flatMap(({ frames }) => frames);
  const target = targetOf(frame!.place);

  it('opens for what one goes to in it', () => {
    const { layout } = scene(NO_FOLDS);
    const folds = withFold(NO_FOLDS, target, true);
    expect(blocks(scene(withOpened(folds, frame!.items[0]!, layout)))).toEqual([]);
    const outside = layout.items.find((item) => !frame!.items.includes(item))!;
    expect(blocks(scene(withOpened(folds, outside, layout))).map((block) => block.target)).toEqual([target]);
  });

  it('is listed as open with its ops, as folded without them', () => {
    const ids = (folds: Folds) => outline(scene(folds)).map(({ id }) => id);
    const entry = (folds: Folds) => outline(scene(folds)).find(({ id }) => id === keyOf(target));
    const op = frame!.items.find(({ kind, node }) => kind === 'op' && node !== null)!;
    const folds = withFold(NO_FOLDS, target, true);
    expect(entry(NO_FOLDS)?.expanded).toBe(true);
    expect(ids(NO_FOLDS)).toContain(`node:${op.node}`);
    expect(entry(folds)?.expanded).toBe(false);
    expect(ids(folds)).not.toContain(`node:${op.node}`);
  });

  it('folds and opens where the reader wants, at any scale', () => {
    expect(blocks(scene(NO_FOLDS))).toEqual([]);
    expect(blocks(scene(withFold(NO_FOLDS, target, true))).map((block) => block.target)).toEqual([target]);
    const open = withFold(NO_FOLDS, target, false);
    expect(blocks(scene(open), 0.01).some((block) => block.area.frame === frame)).toBe(false);
  });
});

describe('folds in a link', () => {
  it('come back, and nothing else does', () => {
    const folds = new Map([
      ['module:3', true],
      ['loop:1/4', false],
    ]);
    expect(readFolds(writeFolds(folds))).toEqual(folds);
    expect(readFolds(['node:3', 'module:', 'loop:1', '--module:1'])).toEqual(NO_FOLDS);
  });
});

describe('what is drawn', () => {
  it('has the grounds of modules in it, so that a view of all of it shows their names', () => {
    const scene = opened('22_module_hooks');
    for (const cursor of [8, 40]) {
      const shown = scene(NO_FOLDS, cursor);
      const { frames } = shown.visible(shown.bounds);
      expect(frames.length).toBeGreaterThan(0);
      for (const { rect } of frames) expect(contains(shown.drawn!, rect)).toBe(true);
    }
  });
});
