// Bytes as text in base 85, a sixteenth less than in base 64: each four of them as five characters that HTML leaves as they are.

const BASE = 85;
const FIRST = '('.charCodeAt(0);

/** Returns the text of some bytes; of a last group of fewer bytes, one character more than bytes. `boot.js` reads it. */
export function base85(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const count = Math.min(4, bytes.length - at);
    let value = 0;
    for (let i = 0; i < 4; i += 1) value = value * 256 + (bytes[at + i] ?? 0);
    let group = '';
    for (let i = 0; i < 5; i += 1) {
      group = String.fromCharCode(FIRST + (value % BASE)) + group;
      value = Math.floor(value / BASE);
    }
    text += group.slice(0, count + 1);
  }
  // It would begin a tag.
  return text.replaceAll('<', '}');
}
