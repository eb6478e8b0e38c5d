// The values that stand beside the lines: what each variable held when its line last ran.

import { brief } from '../caption/number';
import { countUpTo, type Mentions } from '../inspector/mentions';
import { tensorFacts } from '../inspector/tensor-facts';
import type { Event } from '../protocol/events';
import type { LineValue } from './marks';

const MOST_CHARACTERS = 24;

/** Where the program bound its variables, kept up as the log grows. */
export class Namings {
  readonly #lines = new Map<number, Map<string, Extract<Event, { kind: 'tensor_named' }>[]>>();
  #read = 0;

  constructor(readonly mentions: Mentions) {}

  /** One text for each line that has bound a tensor by event `seq`; `changed` for those bound after `before`. */
  valuesAt(seq: number, before: number): LineValue[] {
    this.#update();
    const values: LineValue[] = [];
    for (const [line, names] of this.#lines) {
      const parts: string[] = [];
      let changed = false;
      for (const [name, events] of names) {
        const event = events[countUpTo(events, seq) - 1];
        if (!event) continue;
        const facts = tensorFacts(this.mentions, event.tensor, event.seq);
        if (!facts) continue;
        parts.push(
          names.size > 1 ? `${name} ${brief(facts.value, MOST_CHARACTERS)}` : brief(facts.value, MOST_CHARACTERS),
        );
        changed ||= event.seq > before;
      }
      if (parts.length > 0) values.push({ line, text: parts.join('  '), changed });
    }
    return values;
  }

  #update(): void {
    const { events } = this.mentions;
    for (; this.#read < events.length; this.#read += 1) {
      const event = events[this.#read]!;
      if (event.kind !== 'tensor_named' || event.line === null || event.name.includes('.')) continue;
      let names = this.#lines.get(event.line);
      if (!names) {
        names = new Map();
        this.#lines.set(event.line, names);
      }
      const list = names.get(event.name);
      if (list) list.push(event);
      else names.set(event.name, [event]);
    }
  }
}
