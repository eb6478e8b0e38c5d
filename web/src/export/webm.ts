// WebM: pictures that the browser's own encoder packs, put into the container one after the other.

/** Milliseconds that a block can be away from the beginning of its cluster. */
const MOST_CLUSTER_MS = 30_000;
const BITS = 6_000_000;

type Block = { time: number; key: boolean; data: Uint8Array<ArrayBuffer> };
type Bytes = (number | Uint8Array<ArrayBuffer>)[];

/** An element: its id, the length of what is in it, and that. */
function element(id: number[], ...content: Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const size = content.reduce((sum, part) => sum + part.length, 0);
  const length = [0x08, ...[24, 16, 8, 0].map((shift) => (size >>> shift) & 0xff)];
  return joined([...id, ...length, ...content]);
}

function joined(parts: Bytes): Uint8Array<ArrayBuffer> {
  const size = parts.reduce<number>((sum, part) => sum + (typeof part === 'number' ? 1 : part.length), 0);
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'number') whole[at++] = part;
    else {
      whole.set(part, at);
      at += part.length;
    }
  }
  return whole;
}

const uint = (value: number) => Uint8Array.from([24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff));
const text = (value: string) => Uint8Array.from(new TextEncoder().encode(value));

function double(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return bytes;
}

/** The container of some blocks; times are milliseconds. */
export function container(blocks: readonly Block[], width: number, height: number, durationMs: number): Blob {
  const head = element(
    [0x1a, 0x45, 0xdf, 0xa3],
    element([0x42, 0x86], uint(1)),
    element([0x42, 0xf7], uint(1)),
    element([0x42, 0xf2], uint(4)),
    element([0x42, 0xf3], uint(8)),
    element([0x42, 0x82], text('webm')),
    element([0x42, 0x87], uint(2)),
    element([0x42, 0x85], uint(2)),
  );
  const info = element(
    [0x15, 0x49, 0xa9, 0x66],
    element([0x2a, 0xd7, 0xb1], uint(1_000_000)),
    element([0x44, 0x89], double(durationMs)),
    element([0x4d, 0x80], text('Backscope')),
    element([0x57, 0x41], text('Backscope')),
  );
  const video = element([0xe0], element([0xb0], uint(width)), element([0xba], uint(height)));
  const track = element(
    [0xae],
    element([0xd7], uint(1)),
    element([0x73, 0xc5], uint(1)),
    element([0x83], uint(1)),
    element([0x86], text('V_VP8')),
    video,
  );
  const clusters: Uint8Array<ArrayBuffer>[] = [];
  let held: Block[] = [];
  const close = () => {
    const from = held[0]?.time ?? 0;
    const packed = held.map(({ time, key, data }) => {
      const away = time - from;
      return element([0xa3], joined([0x81, away >> 8, away & 0xff, key ? 0x80 : 0, data]));
    });
    if (held.length > 0) clusters.push(element([0x1f, 0x43, 0xb6, 0x75], element([0xe7], uint(from)), ...packed));
    held = [];
  };
  for (const block of blocks) {
    if (held.length > 0 && (block.key || block.time - held[0]!.time > MOST_CLUSTER_MS)) close();
    held.push(block);
  }
  close();
  const segment = element([0x18, 0x53, 0x80, 0x67], info, element([0x16, 0x54, 0xae, 0x6b], track), ...clusters);
  return new Blob([head, segment], { type: 'video/webm' });
}

/** Whether this browser has an encoder; it is kept from pages that came over a plain connection. */
export function canEncode(): boolean {
  return typeof VideoEncoder === 'function';
}

/** Encodes canvases as they are when they are added. */
export class WebmWriter {
  readonly #blocks: Block[] = [];
  readonly #encoder: VideoEncoder;
  #time = 0;
  #count = 0;
  #failure: Error | null = null;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#encoder = new VideoEncoder({
      output: (chunk) => {
        const data = new Uint8Array(chunk.byteLength);
        chunk.copyTo(data);
        this.#blocks.push({ time: Math.round(chunk.timestamp / 1000), key: chunk.type === 'key', data });
      },
      error: (error) => {
        this.#failure = error;
      },
    });
    this.#encoder.configure({ codec: 'vp8', width, height, bitrate: BITS, framerate: 20 });
  }

  /** Adds a picture that stands for a time. */
  async add(canvas: HTMLCanvasElement, durationMs: number): Promise<void> {
    this.#encode(canvas, this.#time);
    this.#time += durationMs;
    // What waits in the encoder is held in memory.
    while (this.#encoder.encodeQueueSize > 4 && !this.#failure) await new Promise((resolve) => setTimeout(resolve, 5));
    if (this.#failure) throw this.#failure;
  }

  /** The film; its last picture is there once more at the end, so that it stands as long as it is to. */
  async end(canvas: HTMLCanvasElement): Promise<Blob> {
    this.#encode(canvas, this.#time);
    await this.#encoder.flush();
    this.close();
    if (this.#failure) throw this.#failure;
    return container(this.#blocks, this.width, this.height, this.#time);
  }

  close(): void {
    if (this.#encoder.state !== 'closed') this.#encoder.close();
  }

  #encode(canvas: HTMLCanvasElement, timeMs: number): void {
    const frame = new VideoFrame(canvas, { timestamp: Math.round(timeMs * 1000) });
    this.#encoder.encode(frame, { keyFrame: this.#count % 100 === 0 });
    this.#count += 1;
    frame.close();
  }
}
