// The entry for Node: a line of JSON that says what is wanted, then the trace, come in; pictures go out, each a line of JSON.

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { OpEntry } from '../../run/api';
import type { Speed } from '../../run/speed';
import { TraceFileError } from '../../trace/trace-format';
import { CAPTION_SIZE } from '../picture';
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

/** A picture whose texts are drawn without its styles: what no font of ours has is set apart, so that only that looks otherwise. */
function setApart(drawn: Drawn, { latin, all }: ReturnType<typeof fonts>): Drawn & { foreign: boolean } {
  let foreign = false;
  const svg = drawn.svg.replaceAll(/(<text [^>]*>)([^<]*)(?=<\/text>)/g, (whole, open: string, text: string) => {
    const characters = [...text];
    if (characters.every((one) => latin.has(one.codePointAt(0)!))) return whole;
    foreign = true;
    const isOurs = (one: string) => all.has(one.codePointAt(0)!);
    return (
      open + characters.map((one) => (isOurs(one) ? one : `<tspan font-family="monospace">${one}</tspan>`)).join('')
    );
  });
  return { ...drawn, svg, foreign };
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
  for (const drawn of pictures) await write(known ? setApart(drawn, known) : { ...drawn, foreign: false });
}

try {
  await run();
} catch (error) {
  if (!(error instanceof NotDrawn || error instanceof TraceFileError)) throw error;
  await write({ problem: error.message });
}
