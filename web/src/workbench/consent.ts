// Which programs the reader has run in this tab: a link may run those again, and no others, because a program that
// some page has put into a link would otherwise run without anybody having read it.

const KEY = 'backscope.ran';
const KEPT = 50;

/** The digest of a program; null on a page that is not secure, where browsers make none: each link asks again there. */
async function digest(source: string): Promise<string | null> {
  if (!crypto.subtle) return null;
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(source));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function known(): string[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(found) ? found.filter((entry) => typeof entry === 'string') : [];
  } catch {
    return [];
  }
}

/** Return all that the reader has to have read before a link may run it, as one text. */
export function consentText(program: string, expressions: readonly string[]): string {
  return [program, ...expressions].join('\0');
}

/** Notes that the reader ran this program. */
export async function remember(source: string): Promise<void> {
  const entry = await digest(source);
  if (entry === null) return;
  const entries = [...known().filter((other) => other !== entry), entry].slice(-KEPT);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(entries));
  } catch {
    // Without storage every link asks again.
  }
}

/** True for a program that the reader ran in this tab before. */
export async function wasRun(source: string): Promise<boolean> {
  const entry = await digest(source);
  return entry !== null && known().includes(entry);
}
