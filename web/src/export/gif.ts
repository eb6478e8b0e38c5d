// GIF: frames of one palette, of which each stores what changed, packed by LZW.

const COLOURS = 255;
/** The index that leaves a pixel as it was. */
const KEPT = 255;
const BUCKETS = 1 << 15;
const LEAST_CODE = 8;
const MOST_CODES = 4096;

const bucketOf = (data: Uint8ClampedArray, i: number) =>
  ((data[i]! >> 3) << 10) | ((data[i + 1]! >> 3) << 5) | (data[i + 2]! >> 3);

/** The colours that are used most in some pictures, and the nearest of them for every colour. */
export class Palette {
  readonly colours: [number, number, number][] = [];
  readonly #nearest = new Int16Array(BUCKETS).fill(-1);

  constructor(samples: readonly Uint8ClampedArray[]) {
    const counts = new Map<number, [count: number, r: number, g: number, b: number]>();
    for (const data of samples) {
      for (let i = 0; i < data.length; i += 4) {
        const bucket = bucketOf(data, i);
        const found = counts.get(bucket);
        if (found) {
          found[0] += 1;
          found[1] += data[i]!;
          found[2] += data[i + 1]!;
          found[3] += data[i + 2]!;
        } else counts.set(bucket, [1, data[i]!, data[i + 1]!, data[i + 2]!]);
      }
    }
    const used = [...counts].sort(([a, [m]], [b, [n]]) => n - m || a - b).slice(0, COLOURS);
    for (const [bucket, [count, r, g, b]] of used) {
      this.#nearest[bucket] = this.colours.length;
      this.colours.push([Math.round(r / count), Math.round(g / count), Math.round(b / count)]);
    }
  }

  /** A picture as indices into the palette. */
  indices(data: Uint8ClampedArray): Uint8Array {
    const found = new Uint8Array(data.length / 4);
    for (let i = 0, at = 0; i < data.length; i += 4, at += 1) {
      const bucket = bucketOf(data, i);
      let index = this.#nearest[bucket]!;
      if (index < 0) {
        index = this.#search(data[i]!, data[i + 1]!, data[i + 2]!);
        this.#nearest[bucket] = index;
      }
      found[at] = index;
    }
    return found;
  }

  #search(r: number, g: number, b: number): number {
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (const [index, [x, y, z]] of this.colours.entries()) {
      const distance = (r - x) ** 2 + (g - y) ** 2 + (b - z) ** 2;
      if (distance < least) {
        least = distance;
        best = index;
      }
    }
    return best;
  }
}

/** Codes of growing width, in blocks of at most 255 bytes. */
class Codes {
  readonly bytes: number[] = [];
  #held = 0;
  #bits = 0;
  #block: number[] = [];

  add(code: number, width: number): void {
    this.#held |= code << this.#bits;
    this.#bits += width;
    while (this.#bits >= 8) {
      this.#put(this.#held & 0xff);
      this.#held >>>= 8;
      this.#bits -= 8;
    }
  }

  end(): number[] {
    if (this.#bits > 0) this.#put(this.#held & 0xff);
    this.#flush();
    this.bytes.push(0);
    return this.bytes;
  }

  #put(byte: number): void {
    this.#block.push(byte);
    if (this.#block.length === 255) this.#flush();
  }

  #flush(): void {
    if (this.#block.length > 0) this.bytes.push(this.#block.length, ...this.#block);
    this.#block = [];
  }
}

/** Indices packed as GIF has them. */
export function lzw(indices: Uint8Array): number[] {
  const clear = 1 << LEAST_CODE;
  const codes = new Codes();
  let table = new Map<number, number>();
  let next = clear + 2;
  let width = LEAST_CODE + 1;
  codes.add(clear, width);
  let prefix = indices[0] ?? 0;
  for (let i = 1; i < indices.length; i += 1) {
    const key = (prefix << 8) | indices[i]!;
    const known = table.get(key);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    codes.add(prefix, width);
    prefix = indices[i]!;
    if (next < MOST_CODES) {
      if (next === 1 << width) width += 1;
      table.set(key, next);
      next += 1;
    } else {
      codes.add(clear, width);
      table = new Map();
      next = clear + 2;
      width = LEAST_CODE + 1;
    }
  }
  codes.add(prefix, width);
  codes.add(clear + 1, width);
  return codes.end();
}

/** Writes an animation, frame by frame; it plays for ever. */
export class GifWriter {
  readonly #parts: Uint8Array<ArrayBuffer>[] = [];
  #before: Uint8Array | null = null;
  #late = 0;

  constructor(
    readonly width: number,
    readonly height: number,
    readonly palette: Palette,
  ) {
    const colours = new Uint8Array(256 * 3);
    for (const [i, colour] of palette.colours.entries()) colours.set(colour, i * 3);
    this.#put([...new TextEncoder().encode('GIF89a'), ...short(width), ...short(height), 0xf7, 0, 0]);
    this.#put(colours);
    this.#put([0x21, 0xff, 11, ...new TextEncoder().encode('NETSCAPE2.0'), 3, 1, 0, 0, 0]);
  }

  /** Adds a picture that stands for a time. */
  add(data: Uint8ClampedArray, durationMs: number): void {
    const indices = this.palette.indices(data);
    const { left, top, right, bottom } = this.#changed(indices);
    const part = new Uint8Array((right - left) * (bottom - top));
    for (let y = top, at = 0; y < bottom; y += 1) {
      for (let x = left; x < right; x += 1, at += 1) {
        const i = y * this.width + x;
        part[at] = this.#before && this.#before[i] === indices[i] ? KEPT : indices[i]!;
      }
    }
    this.#before = indices;
    // Hundredths of a second; what is rounded off is made up for by the next picture.
    const exact = durationMs / 10 + this.#late;
    const delay = Math.max(2, Math.round(exact));
    this.#late = exact - delay;
    this.#put([0x21, 0xf9, 4, 0x05, ...short(delay), KEPT, 0]);
    this.#put([0x2c, ...short(left), ...short(top), ...short(right - left), ...short(bottom - top), 0, LEAST_CODE]);
    this.#put(lzw(part));
  }

  end(): Blob {
    this.#put([0x3b]);
    return new Blob(this.#parts, { type: 'image/gif' });
  }

  #changed(indices: Uint8Array): { left: number; top: number; right: number; bottom: number } {
    const before = this.#before;
    if (!before) return { left: 0, top: 0, right: this.width, bottom: this.height };
    let [left, top, right, bottom] = [this.width, this.height, 0, 0];
    for (let i = 0; i < indices.length; i += 1) {
      if (indices[i] === before[i]) continue;
      const x = i % this.width;
      const y = (i - x) / this.width;
      left = Math.min(left, x);
      right = Math.max(right, x + 1);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y + 1);
    }
    return right === 0 ? { left: 0, top: 0, right: 1, bottom: 1 } : { left, top, right, bottom };
  }

  #put(bytes: ArrayLike<number>): void {
    this.#parts.push(Uint8Array.from(bytes));
  }
}

function short(value: number): [number, number] {
  return [value & 0xff, value >> 8];
}
