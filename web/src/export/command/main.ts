// The entry for Node: a line of JSON that says what is wanted, then the trace, come in; pictures go out, each a line of JSON.

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { OpEntry } from '../../run/api';
import type { Speed } from '../../run/speed';
import { TraceFileError } from '../../trace/trace-format';
import { CAPTION_SIZE, type Measure } from '../picture';
import { charactersOf, measureBy } from './advances';
import { type Drawn, filmOf, type Look, NotDrawn, pictureOf, recordedOf } from './pictures';
import { tokensOfStyles } from './theme';

type Wanted = {
  theme: 'light' | 'dark';
  ops: OpEntry[];
  /** Whether the picture brings its fonts along. */
  fonts: boolean;
  width: number | null;
} & (
  | { film: false; step: number | null; ratio: number; captioned: boolean }
  | { film: true; from: number; to: number; speed: Speed }
);

const MONO = { family: 'JetBrains Mono Variable', file: 'mono.woff2' };
const INTER = { family: 'Inter Variable', file: 'inter.woff2' };
const FILM_WIDTH = 720;

function fileOf(name: string): Buffer {
  return readFileSync(new URL(`fonts/${name}`, import.meta.url));
}

/** A rule that brings a font along. */
function face({ family, file }: typeof MONO): string {
  const source = `url(data:font/woff2;base64,${fileOf(file).toString('base64')}) format("woff2")`;
  return `@font-face{font-family:"${family}";font-weight:100 900;src:${source}}`;
}

function stylesOf(wanted: Wanted): string {
  if (!wanted.fonts) return '';
  return face(MONO) + (wanted.film || wanted.captioned ? face(INTER) : '');
}

type Characters = { has(code: number): boolean };

/** The characters that the fonts of Latin letters have, and those that all fonts have. */
function fonts(): { latin: Characters; all: Characters } {
  const files = readdirSync(new URL('fonts/', import.meta.url)).filter((name) => name.endsWith('.ttf'));
  const sets = files.map((name) => ({ latin: !name.includes('-'), codes: charactersOf(fileOf(name)) }));
  const any = (some: typeof sets) => ({ has: (code: number) => some.some(({ codes }) => codes.has(code)) });
  return { latin: any(sets.filter(({ latin }) => latin)), all: any(sets) };
}

/** A letter of the font of the stage is so wide, beside its size. */
const MONO_ADVANCE = 0.6;
const TEXT =
  /<text x="([\d.-]+)"( y="[^"]*" font-size="([\d.]+)" font-weight="[^"]*" font-family="([^"]*)") text-anchor="(\w+)"([^>]*)>([^<]*)<\/text>/g;

/**
 * A picture whose texts are drawn without its styles: what no font of ours has is set apart, each piece at its own place, as the
 * whole of a text is drawn with another font otherwise.
 */
function setApart(drawn: Drawn, { latin, all }: ReturnType<typeof fonts>, wide: Measure): Drawn & { foreign: boolean } {
  let foreign = false;
  const take = (
    whole: string,
    x: string,
    font: string,
    size: string,
    family: string,
    anchor: string,
    rest: string,
    text: string,
  ) => {
    const characters = [...text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))];
    if (characters.every((one) => latin.has(one.codePointAt(0)!))) return whole;
    foreign = true;
    if (characters.every((one) => all.has(one.codePointAt(0)!))) return whole;
    const isMono = family.includes('Mono');
    const across = (some: readonly string[]) =>
      Number(size) * (isMono ? MONO_ADVANCE * some.length : wide(some.join('')) / CAPTION_SIZE);
    const share = anchor === 'start' ? 0 : anchor === 'middle' ? 0.5 : 1;
    const left = Number(x) - share * across(characters);
    return piecesOf(characters, (one) => all.has(one.codePointAt(0)!))
      .map(({ from, to, known }) => {
        const place = `x="${(left + across(characters.slice(0, from))).toFixed(2)}"`;
        const named = known ? font : font.replace(family, 'monospace');
        const piece = characters
          .slice(from, to)
          .join('')
          .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
        // A space at an end would not be drawn.
        return `<text xml:space="preserve" ${place}${named} text-anchor="start"${rest}>${piece}</text>`;
      })
      .join('');
  };
  return { ...drawn, svg: drawn.svg.replaceAll(TEXT, take), foreign };
}

/** Where known and other characters follow one another. */
function piecesOf(
  characters: readonly string[],
  isKnown: (one: string) => boolean,
): { from: number; to: number; known: boolean }[] {
  const pieces: { from: number; to: number; known: boolean }[] = [];
  for (const [at, one] of characters.entries()) {
    const known = isKnown(one);
    const last = pieces.at(-1);
    if (last?.known === known) last.to = at + 1;
    else pieces.push({ from: at, to: at + 1, known });
  }
  return pieces;
}

async function input(): Promise<{ wanted: Wanted; trace: Blob }> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  const whole = Buffer.concat(parts);
  const end = whole.indexOf('\n');
  return {
    wanted: JSON.parse(whole.subarray(0, end).toString('utf8')) as Wanted,
    trace: new Blob([whole.subarray(end + 1)]),
  };
}

async function write(line: (Drawn & { foreign: boolean }) | { problem: string }): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain');
}

async function run(): Promise<void> {
  const { wanted, trace } = await input();
  const look: Look = {
    ops: wanted.ops,
    tokens: tokensOfStyles(wanted.theme),
    wide: measureBy(fileOf('inter.ttf'), CAPTION_SIZE),
    styles: stylesOf(wanted),
  };
  const recorded = await recordedOf(trace);
  const known = wanted.fonts ? null : fonts();
  const pictures = wanted.film
    ? filmOf(recorded, look, { ...wanted, width: wanted.width ?? FILM_WIDTH })
    : [pictureOf(recorded, look, wanted)];
  for (const drawn of pictures) await write(known ? setApart(drawn, known, look.wide) : { ...drawn, foreign: false });
}

try {
  await run();
} catch (error) {
  if (!(error instanceof NotDrawn || error instanceof TraceFileError)) throw error;
  await write({ problem: error.message });
}
