// Rounds of a training loop that the reader has folded: neighbours become one block, which hides their chunks.

import type { MirrorLayout } from '../../layout/mirror';
import type { Chunk } from '../../layout/placed';
import type { RoundPlace } from '../../layout/program/place';
import type { RunState } from '../../timeline/state';
import { blockOfRounds } from '../frames';
import type { SceneOptions } from '../options';
import type { BlockPart } from '../parts/parts';
import { isRoundFolded, NO_FOLDS, roundsOf } from './folds';

export type FoldedRounds = { chunks: ReadonlySet<Chunk>; blocks: readonly BlockPart[] };

/** The folded rounds that have begun at a moment; something acts in the chunks `acting`. */
export function foldedRounds(
  state: RunState,
  layout: MirrorLayout,
  options: SceneOptions,
  acting: ReadonlySet<Chunk>,
): FoldedRounds {
  const { folds = NO_FOLDS } = options;
  const chunks = new Set<Chunk>();
  const blocks: BlockPart[] = [];
  if (folds.size === 0) return { chunks, blocks };
  let run: { chunks: Chunk[]; rounds: RoundPlace[] } | null = null;
  const end = () => {
    if (run) blocks.push(blockOfRounds(run.chunks, run.rounds, state, layout, options, acting));
    run = null;
  };
  const rounds = roundsOf(layout);
  for (const chunk of layout.chunks) {
    const round = rounds.get(chunk);
    if (chunk.first > state.seq) continue;
    if (!round || !isRoundFolded(round, folds)) {
      end();
      continue;
    }
    if (run && run.rounds[0]!.outer !== round.outer) end();
    run ??= { chunks: [], rounds: [] };
    run.chunks.push(chunk);
    if (run.rounds.at(-1) !== round) run.rounds.push(round);
    chunks.add(chunk);
  }
  end();
  return { chunks, blocks };
}
