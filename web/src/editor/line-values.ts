// The values beside the lines: each variable as it was when its line last ran.

import { countUpTo, type Mentions } from '../facts/mentions';
import { tensorValue } from '../facts/tensor-facts';
import { brief } from '../format/number';
import type { LineValue } from './marks';

const MOST_CHARACTERS = 24;
/** Characters of all values beside one line; what is more would push the code aside. */
const MOST_IN_LINE = 40;

/** A line gave a variable its tensor, or changed the tensor in place. */
type Binding = { seq: number; tensor: number };

/** Where the program bound and changed its variables, kept up as the log grows. */
export class Namings {
  readonly #lines = new Map<number, Map<string, Binding[]>>();
  readonly #names = new Map<number, string>();
  /** The line that bound or changed each variable last. */
  readonly #lastLine = new Map<string, number>();
  #read = 0;

  constructor(readonly mentions: Mentions) {}

  /** One text for each line that has bound a tensor by event `seq`; `changed` for those bound after `before`. */
  valuesAt(seq: number, before: number): LineValue[] {
    this.#update();
    const values: LineValue[] = [];
    for (const [line, names] of this.#lines) {
      const parts: string[] = [];
      let changed = false;
      for (const [name, bindings] of names) {
        const binding = bindings[countUpTo(bindings, seq) - 1];
        if (!binding) continue;
        const value = tensorValue(this.mentions, binding.tensor, binding.seq);
        if (!value) continue;
        const text = brief(value, MOST_CHARACTERS);
        parts.push(names.size > 1 ? `${name} ${text}` : text);
        changed ||= binding.seq > before;
      }
      if (parts.length > 0) values.push({ line, text: fitted(parts), changed });
    }
    return values;
  }

  #update(): void {
    const { log } = this.mentions;
    for (const event of log.of(['tensor_named', 'tensor_mutated'], this.#read)) {
      if (event.kind === 'tensor_named') {
        if (event.name.includes('.')) continue;
        this.#names.set(event.tensor, event.name);
        this.#bind(event.line, event.name, event);
      } else if (event.kind === 'tensor_mutated') {
        // `total += loss` goes on with the tensor that the variable has.
        const name = this.#names.get(event.tensor);
        if (name === undefined) continue;
        // What the reader changes in a paused program is not done by the line that it is paused at.
        const line = event.op === 'assignment' ? (this.#lastLine.get(name) ?? null) : event.line;
        this.#bind(line, name, event);
      }
    }
    this.#read = log.length;
  }

  #bind(line: number | null, name: string, { seq, tensor }: Binding): void {
    if (line === null) return;
    this.#lastLine.set(name, line);
    let names = this.#lines.get(line);
    if (!names) {
      names = new Map();
      this.#lines.set(line, names);
    }
    const list = names.get(name);
    if (list) list.push({ seq, tensor });
    else names.set(name, [{ seq, tensor }]);
  }
}

/** As many of the texts as a line has room for. */
function fitted(parts: readonly string[]): string {
  let text = parts[0]!;
  for (const part of parts.slice(1)) {
    if ([...text].length + [...part].length + 2 > MOST_IN_LINE) return `${text}  …`;
    text += `  ${part}`;
  }
  return text;
}
