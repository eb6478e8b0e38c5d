// What lies over the canvas of the stage. It is measured when it may have changed only: asking where something is in the
// middle of a step lays out the page once more.

import type { Rect } from '../../layout/rect';

/** What changes of an element that lies over the canvas may move or resize it. */
const WATCHED: MutationObserverInit = {
  attributes: true,
  attributeFilter: ['class', 'style'],
  childList: true,
  characterData: true,
  subtree: true,
};

/** What lies over the canvas, in CSS pixels from its top left; the map is there only while part of the graph is out of view. */
export type Over = Rect & { isMap: boolean };

export class Cover {
  #rects: Over[] | null = null;
  /** What was measured last. */
  #before: readonly Over[] | null = null;
  #measured = new Map<Element, DOMRect>();
  readonly #sizes = new ResizeObserver((entries) => {
    const resized = entries.filter((entry) => this.#isResized(entry));
    if (resized.length > 0) this.#rects = null;
    if (resized.some(({ target }) => target !== this.canvas)) this.changed();
  });
  readonly #changes = new MutationObserver((records) => {
    this.#note(records);
    if (records.some((record) => record.type === 'childList' && this.#isBeside(record) && counts(record)))
      this.changed();
  });

  constructor(
    private readonly canvas: HTMLCanvasElement,
    /** Called when something comes to lie over the canvas, goes, or is found at another place or of another size. */
    private readonly changed: () => void = () => {},
  ) {}

  /** What lies beside the canvas in its parent and over it, in CSS pixels from its top left. */
  get rects(): readonly Over[] {
    this.#note(this.#changes.takeRecords());
    this.#rects ??= this.#measure();
    return this.#rects;
  }

  destroy(): void {
    this.#sizes.disconnect();
    this.#changes.disconnect();
  }

  #note(records: readonly MutationRecord[]): void {
    // What a part of an element looks like moves nothing, as the frame in the map.
    const moves = (record: MutationRecord) =>
      record.type !== 'attributes' ? counts(record) : record.target.parentNode === this.canvas.parentNode;
    if (records.some(moves)) this.#rects = null;
  }

  #isBeside({ target }: MutationRecord): boolean {
    return target === this.canvas.parentNode;
  }

  #isResized({ target, borderBoxSize: [size] }: ResizeObserverEntry): boolean {
    const before = this.#measured.get(target);
    return !before || before.width !== size?.inlineSize || before.height !== size.blockSize;
  }

  #measure(): Over[] {
    this.destroy();
    const { canvas } = this;
    const beside = [...(canvas.parentElement?.children ?? [])].filter((element) => !isAtRim(element));
    this.#measured = new Map(beside.map((element) => [element, element.getBoundingClientRect()]));
    if (canvas.parentElement) this.#changes.observe(canvas.parentElement, { childList: true });
    const { left, top } = this.#measured.get(canvas) ?? canvas.getBoundingClientRect();
    const rects: Over[] = [];
    for (const [element, { x, y, width, height }] of this.#measured) {
      this.#sizes.observe(element);
      // What only is read aloud takes a pixel, whatever is in it.
      if (element === canvas || width <= 1 || height <= 1) continue;
      this.#changes.observe(element, WATCHED);
      const isMap = element instanceof HTMLElement && element.dataset.map !== undefined;
      rects.push({ x: x - left, y: y - top, width, height, isMap });
    }
    // A view that was chosen for what lay there before is chosen again.
    if (this.#before && JSON.stringify(this.#before) !== JSON.stringify(rects)) queueMicrotask(this.changed);
    this.#before = rects;
    return rects;
  }
}

/** Arrows at the rim, and what is placed at things of the graph, go by what is on the stage, and give way to it. */
function isAtRim(node: Node): boolean {
  return node instanceof HTMLElement && node.dataset.rim !== undefined;
}

/** Whether a change is one of an element that lies over the canvas. */
function counts({ type, addedNodes, removedNodes }: MutationRecord): boolean {
  return type !== 'childList' || [...addedNodes, ...removedNodes].some((node) => !isAtRim(node));
}
