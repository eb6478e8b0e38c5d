// Types for the part of gifenc that is used: the package has none.

declare module 'gifenc' {
  /** Colours as red, green and blue. */
  export type Palette = number[][];
  type Format = 'rgb565';

  export function quantize(rgba: Uint8ClampedArray, colours: number, options: { format: Format }): Palette;
  export function applyPalette(rgba: Uint8ClampedArray, palette: Palette, format: Format): Uint8Array;

  type FrameOptions = {
    /** Of the first frame it is the palette of all. */
    palette?: Palette;
    /** In milliseconds. */
    delay: number;
    transparent: boolean;
    transparentIndex: number;
    /** 1 leaves the frame under the next one. */
    dispose: number;
  };

  export function GIFEncoder(): {
    writeFrame(indices: Uint8Array, width: number, height: number, options: FrameOptions): void;
    finish(): void;
    bytes(): Uint8Array<ArrayBuffer>;
  };
}
