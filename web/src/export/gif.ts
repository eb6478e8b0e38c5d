// GIF: frames of one palette, in which a pixel that stays as it was is transparent.

import { applyPalette, GIFEncoder, type Palette, quantize } from 'gifenc';

/** One index is left for a pixel that stays as it was. */
const COLOURS = 255;
const KEPT = COLOURS;
const FORMAT = 'rgb565';

/** The colours that serve some pictures best; pictures are RGBA bytes. */
export function paletteOf(samples: readonly Uint8ClampedArray[]): Palette {
  const whole = new Uint8ClampedArray(samples.reduce((length, data) => length + data.length, 0));
  let at = 0;
  for (const data of samples) {
    whole.set(data, at);
    at += data.length;
  }
  return quantize(whole, COLOURS, { format: FORMAT });
}

/** Writes an animation, frame by frame; it plays for ever. */
export class GifWriter {
  readonly #encoder = GIFEncoder();
  #before: Uint8Array | null = null;
  #owed = 0;

  constructor(
    readonly width: number,
    readonly height: number,
    readonly palette: Palette,
  ) {}

  /** Adds a picture that is shown for a time. */
  add(data: Uint8ClampedArray, durationMs: number): void {
    const indices = applyPalette(data, this.palette, FORMAT);
    const before = this.#before;
    const part = before ? indices.map((index, i) => (index === before[i] ? KEPT : index)) : indices;
    // The format counts hundredths of a second; what is rounded off is made up for by the next picture.
    const exact = durationMs / 10 + this.#owed;
    const delay = Math.max(2, Math.round(exact));
    this.#owed = exact - delay;
    this.#encoder.writeFrame(part, this.width, this.height, {
      ...(before ? {} : { palette: this.palette }),
      delay: delay * 10,
      transparent: true,
      transparentIndex: KEPT,
      dispose: 1,
    });
    this.#before = indices;
  }

  end(): Blob {
    this.#encoder.finish();
    return new Blob([this.#encoder.bytes()], { type: 'image/gif' });
  }
}
