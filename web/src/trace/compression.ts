// Compressing and expanding bytes with the browser's own streams.

import * as say from '../messages/trace';

async function through(bytes: BlobPart, stream: GenericTransformStream): Promise<Uint8Array<ArrayBuffer>> {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** Compresses bytes or text. */
export function compress(bytes: BlobPart, format: CompressionFormat): Promise<Uint8Array<ArrayBuffer>> {
  return through(bytes, new CompressionStream(format));
}

/** Expands bytes; rejects when they are not of this format, or grow beyond `most` bytes. */
export async function expand(
  bytes: BlobPart,
  format: CompressionFormat,
  most = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  let total = 0;
  const guard = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      total += chunk.byteLength;
      if (total > most) controller.error(new Error(say.expandsTooLarge(most)));
      else controller.enqueue(chunk);
    },
  });
  const piped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)).pipeThrough(guard);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}
