// The names that a run knows its nodes and tensors by.

import type { Run } from '../app/run.svelte';
import { nameAt } from '../timeline/state';
import type { Names } from './words';

export function namesOf(run: Run | null): Names {
  return {
    node: (id) => run?.timeline.history.nodes.get(id)?.name ?? null,
    tensor: (id) => {
      const history = run?.timeline.history.tensors.get(id);
      return history ? nameAt(history, Number.POSITIVE_INFINITY) : null;
    },
  };
}
