// Plugins that build a page as one file: code, styles and fonts packed into a template that recordings are put into.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin, type UserConfig } from 'vite';
import { base85 } from './base85.ts';
import { carriedBy, licenses } from './licenses.ts';

/** Faces that neither the formulas of ops nor English texts need; those that are left are there once, as woff2. */
const SPARED =
  /KaTeX_(AMS|Size[34]|Caligraphic|Fraktur|SansSerif|Script|Typewriter|\w+-(Bold|Italic|BoldItalic)\.)|-(cyrillic|greek|vietnamese|latin-ext)/;
const FORMULA = /KaTeX_Math-Italic/;

/** Rooms that need a server, what runs the program while a number in it is changed, notes on the run, and what only tests look up. */
const ABSENT =
  /((Locked|ExampleList|LessonOffer|RunNotices|StepBar|CurveStrip|DebuggerPanel|BreakHere|ExportRoom|LectureRoom|CompareRoom|FirstDifference|Missing|WhatNext|ShownNote|Offset)\.svelte|number-drag|link-copy|rerun\.svelte|noticing\.svelte|misses)$/;

function leanFonts(): Plugin {
  return {
    name: 'lean-fonts',
    enforce: 'pre',
    transform(code, id) {
      if (!/\.css$/.test(id)) return null;
      return code
        .replace(/@font-face\s*\{[^}]*\}/g, (face) => (SPARED.test(face) && !FORMULA.test(face) ? '' : face))
        .replace(/,\s*url\([^)]*\.(woff|ttf)\)\s*format\([^)]*\)/g, '');
    },
  };
}

/** A file reads its traces by itself, without a worker. */
function withoutServer(absent: readonly RegExp[]): Plugin {
  return {
    name: 'without-server',
    enforce: 'pre',
    resolveId: (id) => (id.includes('?worker') || absent.some((one) => one.test(id)) ? '\0absent' : null),
    // A component of nothing.
    load: (id) => (id === '\0absent' ? 'export default () => {};' : null),
  };
}

/** The modules of every such page that are replaced by a file of src/single. */
const REPLACED: [RegExp, string][] = [
  [/\/editor\/Editor\.svelte$/, 'Program.svelte'],
  [/\/transport\/connection$/, 'connection.ts'],
  [/\/api$/, 'api.ts'],
  [/\/session\.svelte$/, 'session.ts'],
  [/\/(consent|kept-draft)$/, 'consent.ts'],
  [/\/(stage-trace|opening\.svelte)$/, 'opening.ts'],
  [/^\.\/licenses$/, 'licenses.ts'],
];

/**
 * The program is read, not written: an editor would be a quarter of the file. What it carries is in it, not fetched, and there
 * is no server to connect to.
 */
function ofOneFile(replaced: [RegExp, string][]): Plugin {
  const single = (name: string) => resolve(import.meta.dirname, 'src/single', name);
  return {
    name: 'of-one-file',
    enforce: 'pre',
    resolveId(id) {
      const found = [...REPLACED, ...replaced].find(([pattern]) => pattern.test(id));
      return found ? single(found[1]) : null;
    },
  };
}

/**
 * Of typesetting, what no formula of an op has: measures and signs of spared faces, letters with accents or raised, arrows,
 * names of colours, of signs as HTML and physics call them, and of relations that are negated.
 */
function leanTypesetting(): Plugin {
  const measures =
    /"(?:AMS|Main-Italic|Caligraphic|Fraktur|SansSerif|Script|\w+-(?:Bold|BoldItalic))[\w-]*": \{[^}]*\}/g;
  const signs =
    /^defineSymbol\((?:math|text), (?:ams, .*|main, rel, "[^"]*", "\\\\(?!leftarrow")\w*(?:[aA]rrow|harpoon|mapsto).*)\);$/gm;
  const raised = /^(var uSubsAndSups = Object\.freeze\(\{)[^}]*(?=\})/m;
  const accented = /^(var unicodeSymbols = \{)[^}]*(?=\})/m;
  const stretched =
    /^ {2}\w*(?:arrow|harpoon|hook|group|brace|bracket|linesegment|mapsto|ToFrom|i+nt|widecheck|longequal)\w*: (?:doubleBrushStroke\()?"M.*$/gim;
  const named =
    /^defineMacro\("(?:\\u\w{4}|\\\\(?:(?:blue|orange|pink|red|green|gray|purple|teal|gold|maroon|mint)[A-I]?|ka\w+|[bB]ra|[kK]et|braket|\w*(?:colon|neqq|slant|mid|parallel|[lruhLRUHD][aA]rr)\w*|alef\w*|clubs|hearts|spades|cnums|Complex|natnums|reals|Reals|thetasym|weierp|[lu][lr]corner|var[A-Z]\w+|var(?:inj|proj)lim|varlim\w+|(?:inj|proj|p)lim|[A-Z][a-z]{1,6}|TeX|LaTeX|KaTeX|Colonapprox|Colonsim|ngeqq|nleqq|nsubseteqq|nsupseteqq|varsubsetneq|varsupsetneq|imath|jmath|lBrace|rBrace|llbracket|rrbracket|minuso|mapsfrom|dddot|ddddot|bull|diamonds|empty|exist|image|infin|isin|plusmn|real|sdot|sect|sub|sube|supe|lang|rang|darr|dArr|N|R|Z|notni|ratio|impliedby|implies|iff|text\w+right|copyright|textregistered))", ".*$/gm;
  return {
    name: 'lean-typesetting',
    transform: (code, id) =>
      /\/katex\.mjs$/.test(id)
        ? code
            .replace(measures, (one) => `${one.split(':')[0]}: {}`)
            .replace(signs, '')
            .replace(raised, '$1')
            .replace(accented, '$1')
            .replace(stretched, '')
            .replace(named, '')
        : null,
  };
}

/** What a recording is held against: the schema of events, without its words and without commands. */
function schemaOfEvents(): Plugin {
  const word = (name: string, value: unknown) => typeof value === 'string' && /^(title|description)$/.test(name);
  return {
    name: 'schema-of-events',
    enforce: 'pre',
    transform(code, id) {
      if (!/\/protocol\/schema\.json$/.test(id)) return null;
      const { $defs, discriminator } = JSON.parse(code, (name, value) => (word(name, value) ? undefined : value));
      const used: Record<string, unknown> = {};
      const follow = (part: unknown) => {
        for (const [, name] of JSON.stringify(part).matchAll(/"#\/\$defs\/(\w+)"/g)) {
          if (name! in used) continue;
          used[name!] = $defs[name!];
          follow(used[name!]);
        }
      };
      follow(discriminator);
      return JSON.stringify({ $defs: used, discriminator });
    },
  };
}

function packed(file: string): Plugin {
  return {
    name: 'single-file',
    enforce: 'post',
    generateBundle(_options, bundle) {
      let code = '';
      let styles = '';
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === 'chunk') code += part.code;
        else if (name.endsWith('.css')) styles += part.source;
        else throw new Error(`${name} would be a second file.`);
        delete bundle[name];
      }
      code = code.replace('BACKSCOPE_LICENSES', () =>
        JSON.stringify(carriedBy(import.meta.dirname, this.getModuleIds())),
      );
      const read = (name: string) => readFileSync(resolve(import.meta.dirname, 'src/single', name), 'utf8');
      const boot = read('boot.js');
      const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
      const page = base85(gzipSync(JSON.stringify([styles, code]), { level: 9 }));
      const parts: Record<string, string> = {
        BACKSCOPE_HASHES: `${hash(boot)} ${hash(code)}`,
        BACKSCOPE_PAGE: page,
        BACKSCOPE_BOOT: boot,
      };
      const source = read('template.html').replace(/BACKSCOPE_(HASHES|PAGE|BOOT)/g, (name) => parts[name]!);
      this.emitFile({ type: 'asset', fileName: file, source });
    },
  };
}

type Choice = {
  /** The entry below src/single. */
  entry: string;
  /** The name of the template. */
  file: string;
  /** Modules that are left out, beside those of every such page. */
  absent?: RegExp[];
  /** Modules that are replaced by a file of src/single, beside those of every such page. */
  replaced?: [RegExp, string][];
};

/** The configuration that builds a page as one file. */
export function oneFile({ entry, file, absent = [], replaced = [] }: Choice): UserConfig {
  return defineConfig({
    plugins: [
      leanFonts(),
      leanTypesetting(),
      schemaOfEvents(),
      ofOneFile(replaced),
      withoutServer([ABSENT, ...absent]),
      svelte(),
      licenses(),
      packed(file),
    ],
    publicDir: false,
    build: {
      outDir: '../server/backscope_server/static',
      emptyOutDir: false,
      target: 'es2022',
      lib: { entry: `src/single/${entry}`, formats: ['iife'], name: 'backscope', fileName: 'single' },
      chunkSizeWarningLimit: 2000,
      rolldownOptions: { checks: { pluginTimings: false } },
      reportCompressedSize: false,
    },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
}
