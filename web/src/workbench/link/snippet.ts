// The HTML that shows a lesson or a run in a page of somebody's own.

import * as say from '../../messages/page/copied';

/** Of a frame that has no script to set it, in CSS pixels. */
export const RUN_HEIGHT = 600;
export const LESSON_HEIGHT = 750;

function attribute(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** A frame of an address, or of a file beside the page. */
export function frameOf(address: string, title: string, height: number): string {
  // The server learns which page shows the frame, so that the frame can say so where that page may not.
  return (
    `<iframe src="${attribute(address)}" title="${attribute(title)}" width="100%" height="${height}" loading="lazy" ` +
    'referrerpolicy="strict-origin" style="border:0"></iframe>'
  );
}

/**
 * The element with these attributes. What is inside it is shown where its script is blocked: a link to the fragment `opens` of
 * this server's page, where there is one, and the program.
 */
export function elementOf(attributes: Record<string, string | number>, opens: string | null, source = ''): string {
  const named = Object.entries(attributes).map(([name, value]) => `${name}="${attribute(String(value))}"`);
  const open = opens === null ? '' : ` <a href="${attribute(`${location.origin}/#${opens}`)}">${say.openIt}</a>`;
  const program = source === '' ? '' : `<pre>${attribute(source)}</pre>`;
  return (
    `<script src="${location.origin}/backscope-run.js" defer></` +
    `script>\n<backscope-run ${named.join(' ')}><p>${say.playsWithScripts}${open}</p>${program}</backscope-run>`
  );
}
