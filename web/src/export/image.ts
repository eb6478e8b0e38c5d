// Pictures as files: PNG with two pixels for each of the page's, SVG with its fonts inside.

import interAddress from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import monoAddress from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?url';
import * as say from '../messages/export';
import { base64 } from './page';
import { drawFrame, type Frame, sizeOf } from './picture';
import { SvgPen } from './svg';

export const PNG_RATIO = 2;

/** The picture in pixels; throws an error that says what to do where the browser cannot hold it. */
export async function png(frame: Frame): Promise<Blob> {
  const { width, height } = sizeOf(frame);
  const canvas = document.createElement('canvas');
  canvas.width = width * PNG_RATIO;
  canvas.height = height * PNG_RATIO;
  const ctx = canvas.getContext('2d');
  if (ctx) drawFrame(ctx, frame, PNG_RATIO);
  const made = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!made) throw new Error(say.thePictureIsTooLarge);
  return made;
}

/** The picture as vectors and texts. */
export async function svg(frame: Frame): Promise<Blob> {
  const { width, height } = sizeOf(frame);
  const pen = new SvgPen();
  drawFrame(pen.ctx, frame, 1);
  const faces: [family: string, address: string][] = [['JetBrains Mono Variable', monoAddress]];
  if (frame.height > 0) faces.push(['Inter Variable', interAddress]);
  const styles = await Promise.all(faces.map(([family, address]) => face(family, address)));
  return new Blob([pen.document(width, height, styles.join(''), frame.caption)], { type: 'image/svg+xml' });
}

/** A rule that brings a font along; without it the reader's own takes its place. */
async function face(family: string, address: string): Promise<string> {
  try {
    const font = await (await fetch(address)).blob();
    const source = `url(data:font/woff2;base64,${await base64(font)}) format("woff2")`;
    return `@font-face{font-family:"${family}";font-weight:100 900;src:${source}}`;
  } catch {
    return '';
  }
}
