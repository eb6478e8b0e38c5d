// Draws the graph as a small map: modules with the heat of their gradients, what is broken, and what a search found.

import type { Area } from '../layout/area';
import type { Item } from '../layout/graph';
import type { Chunk } from '../layout/placed';
import type { Rect } from '../layout/rect';
import { isBad } from '../protocol/finite';
import { heatIn } from '../scene/fold/heat';
import { markIn } from '../scene/fold/mark';
import { groundOf } from '../scene/frames';
import { bodyOf, extentOf } from '../scene/parts/extent';
import type { Scene } from '../scene/scene';
import { drawCross, shadeOf } from './parts/block';
import type { ThemeTokens } from './tokens';

/** What is smaller on the map, in pixels, is not looked into. */
const LEAST_OPEN = 10;
/** Graphs with more things show no single ones. */
const MOST_ITEMS = 20_000;
const LEAST_MARK = 3;
/** Half the width of a cross. */
const CROSS = 3.5;

/** A map of a part of the plane: pixels are (place − corner) × scale. */
export type MapView = { rect: Rect; scale: number };

/** Draws onto a context that is scaled to CSS pixels and empty. */
export function drawMap(ctx: CanvasRenderingContext2D, scene: Scene, view: MapView, tokens: ThemeTokens): void {
  const map = new GraphMap(ctx, scene, view, tokens);
  for (const chunk of scene.layout.chunks) if (chunk.first <= scene.state.seq) map.area(chunk.area, chunk);
  for (const rect of map.broken) map.cross(rect);
  for (const rect of map.hits) map.mark(rect, tokens.ink);
}

class GraphMap {
  /** Where there is a NaN, an infinity or the error: each, or in large graphs the areas that hold some. */
  readonly broken: Rect[] = [];
  /** Where hits are: each, or in large graphs the areas that hold some. */
  readonly hits: Rect[] = [];
  readonly #single: boolean;

  constructor(
    readonly ctx: CanvasRenderingContext2D,
    readonly scene: Scene,
    readonly view: MapView,
    readonly tokens: ThemeTokens,
  ) {
    this.#single = scene.layout.items.length <= MOST_ITEMS;
  }

  /**
   * Draws an area with all that is in it. Returns whether it, or an area in it, is noted for an error or a NaN: the innermost one
   * that is drawn, unless its items are, which show their own.
   */
  area(area: Area, chunk: Chunk): boolean {
    const { state, layout } = this.scene;
    if (area.seq > state.seq) return false;
    const { scale } = this.view;
    const size = Math.max(area.rect.width, area.rect.height) * scale;
    const isOpen = size >= LEAST_OPEN && (area.areas.length > 0 || this.#single);
    const isGround = !isOpen || (area.frame !== null && area.areas.length === 0);
    const heat = isGround || !this.#single ? heatIn(area, chunk, state, layout) : null;
    if (area.frame || !isOpen) {
      const rect = groundOf(area, state.seq);
      // Modules inside one another get darker.
      this.ctx.globalAlpha = 0.4;
      this.#fill(rect, this.tokens.hairlineStrong);
      if (isGround && heat) {
        this.ctx.globalAlpha = shadeOf(heat.norm);
        this.#fill(rect, Number.isFinite(heat.norm) ? this.tokens.gradientFill : this.tokens.error);
      }
      this.ctx.globalAlpha = 1;
    }
    this.#findHits(area, isOpen);
    const broken = isOpen ? area.areas.filter((inner) => this.area(inner, chunk)) : [];
    if (isOpen && this.#single) {
      for (const item of area.items) this.#item(item);
      return false;
    }
    if (broken.length > 0) return true;
    const isBroken = markIn(area, chunk, heat, state, layout) !== null;
    if (isBroken) this.broken.push(groundOf(area, state.seq));
    return isBroken;
  }

  /** Notes the hits of an area but for those of areas that are looked into after it. */
  #findHits(area: Area, isOpen: boolean): void {
    const { found } = this.scene.options;
    const hits = found?.count(area) ?? 0;
    if (!found || hits === 0) return;
    if (this.#single && isOpen) {
      for (const item of area.items) {
        if (found.has(item) && item.seq <= this.scene.state.seq) this.hits.push(extentOf(item));
      }
      return;
    }
    const after = isOpen ? area.areas.reduce((sum, inner) => sum + found.count(inner), 0) : 0;
    if (hits > after) this.hits.push(area.rect);
  }

  /** Marks the middle of a place that may be smaller than a pixel. */
  mark({ x, y, width, height }: Rect, colour: string): void {
    const side = LEAST_MARK / this.view.scale;
    this.#fill({ x: x + width / 2 - side / 2, y: y + height / 2 - side / 2, width: side, height: side }, colour);
  }

  /** Crosses out the middle of a place: an error and what is not finite are seen without their colour too. */
  cross({ x, y, width, height }: Rect): void {
    const { rect, scale } = this.view;
    drawCross(this.ctx, this.tokens, (x + width / 2 - rect.x) * scale, (y + height / 2 - rect.y) * scale, CROSS);
  }

  #item(item: Item): void {
    const { state, layout } = this.scene;
    if (item.seq > state.seq) return;
    const tensor = state.history.tensors.get(item.tensor);
    const grad = tensor?.grads.at(state.seq)?.value;
    const ran = item.node !== null && state.history.nodes.get(item.node)?.starts.at(state.seq) !== undefined;
    const value = tensor?.values.at(state.seq);
    const isFailed = item.node !== null && item.node === state.error?.node;
    const sent = item.node === null ? undefined : state.history.nanSent.get(item.node);
    const hasSent = sent !== undefined && sent <= state.seq;
    if (isFailed || hasSent || (value && state.history.isBroken(item.tensor, value)) || (grad && isBad(grad)))
      this.broken.push(extentOf(item));
    const rect = bodyOf(item);
    const second = layout.chunks[item.chunk]?.up ? this.tokens.second : this.tokens.faint;
    this.#fill(rect, ran || grad ? this.tokens.gradientFill : second);
  }

  #fill({ x, y, width, height }: Rect, colour: string): void {
    const { rect, scale } = this.view;
    this.ctx.fillStyle = colour;
    this.ctx.fillRect(
      (x - rect.x) * scale,
      (y - rect.y) * scale,
      Math.max(0.75, width * scale),
      Math.max(0.75, height * scale),
    );
  }
}
