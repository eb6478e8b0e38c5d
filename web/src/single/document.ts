// What a page that is one file holds in its document, as base64.

/** The bytes that an element holds, one after the other. */
export function bytesOf(id: string): Uint8Array<ArrayBuffer>[] {
  const texts = document.getElementById(id)?.textContent?.trim().split(/\s+/) ?? [];
  return texts.map((text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0)));
}
