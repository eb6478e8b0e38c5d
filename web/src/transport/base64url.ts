// Bytes as text that is safe in a URL, without padding.

import * as say from '../messages/connection';

/** Encodes bytes with the URL-safe alphabet of RFC 4648. */
export function encodeBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Decodes what `encodeBase64Url` made; throws an error for any other character. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  if (/[^A-Za-z0-9_-]/.test(text)) throw new Error(say.strangeLinkCharacter);
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
