// The moment of a row: when what it says was sent, arrived or was given.

import type { Row } from '../../origins/tree';
import type { View } from '../../rows/view';

const ALL = Number.POSITIVE_INFINITY;

/** The seq of the event that a row is about; null for one about none. */
export function momentOf(view: Pick<View, 'mentions' | 'history'>, row: Row): number | null {
  switch (row.kind) {
    case 'pass':
      return row.pass.seq;
    case 'given':
      return view.history.calls.find((one) => one.event.call === row.call)?.event.seq ?? null;
    case 'sum':
    case 'share': {
      const { node, input_nr } = row.arrival;
      const sent = view.mentions
        .ofNode(node, ALL)
        .find((e) => e.kind === 'gradient_sent' && e.call === row.call && e.node === node && e.input_nr === input_nr);
      return sent?.seq ?? null;
    }
    case 'hooks': {
      const events = view.mentions.ofNode(row.node, ALL);
      const ran = events.find((e) => e.kind === 'hook_ran' && e.call === row.call);
      return (ran ?? events.find((e) => e.kind === 'node_started' && e.call === row.call))?.seq ?? null;
    }
    default:
      return null;
  }
}
