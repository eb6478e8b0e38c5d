// WebM: pictures that the browser's own encoder packs.

import { BufferTarget, CanvasSource, Output, WebMOutputFormat } from 'mediabunny';

const BITS_PER_SECOND = 6_000_000;
const KEY_FRAME_EVERY = 100;

/** Encodes a canvas as it is each time that it is added. */
export class WebmWriter {
  readonly #target = new BufferTarget();
  readonly #output = new Output({ format: new WebMOutputFormat(), target: this.#target });
  readonly #source: CanvasSource;
  readonly #started: Promise<void>;
  #time = 0;
  #count = 0;

  constructor(canvas: HTMLCanvasElement) {
    // WebKitGTK ends the tab where an encoder is the first use of its media library; a question to a player sets it up.
    document.createElement('video').canPlayType('video/webm;codecs=vp8');
    this.#source = new CanvasSource(canvas, { codec: 'vp8', bitrate: BITS_PER_SECOND });
    this.#output.addVideoTrack(this.#source);
    this.#started = this.#output.start();
  }

  /** Adds the picture on the canvas, shown for a time; resolves once the encoder has room for another one. */
  async add(durationMs: number): Promise<void> {
    await this.#started;
    const keyFrame = this.#count % KEY_FRAME_EVERY === 0;
    await this.#source.add(this.#time / 1000, durationMs / 1000, { keyFrame });
    this.#time += durationMs;
    this.#count += 1;
  }

  /** The film; its last picture comes once more at the end, for players that end with the beginning of the last one. */
  async end(): Promise<Blob> {
    await this.add(0);
    await this.#output.finalize();
    return new Blob([this.#target.buffer!], { type: 'video/webm' });
  }

  async cancel(): Promise<void> {
    await this.#output.cancel();
  }
}
