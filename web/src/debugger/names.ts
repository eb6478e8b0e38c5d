// The names of nodes and tensors in a run.

import type { Run } from '../run/run.svelte';
import { nameAt } from '../timeline/state';
import type { Names } from './words';

export function namesOf(run: Run | null): Names {
  const tensor = (id: number) => {
    const history = run?.timeline.history.tensors.get(id);
    return history ? nameAt(history, Number.POSITIVE_INFINITY) : null;
  };
  return {
    node: (id) => {
      const node = run?.timeline.history.nodes.get(id);
      const leaf = node?.leaf == null ? null : tensor(node.leaf);
      return node ? (leaf ? `${node.name} of ${leaf}` : node.name) : null;
    },
    tensor,
  };
}
