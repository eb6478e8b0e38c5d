// Collects the licences of what the page carries: those of each package that a module of a build comes from.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';

type Carried = { name: string; version: string; license: string; text: string };

const PACKAGE = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** What the tools of the build put into the page by themselves. */
const OF_A_TOOL = /^\0?(vite|rolldown)\//;

const LICENSE = /^(licen[cs]e|copying|notice)/i;

/** What follows is of packages that are in the tool, and not in the page. */
const OF_OTHERS = /^# Licenses of bundled dependencies/m;

/** The packages that modules come from, in the order of names. */
export function carriedBy(root: string, modules: Iterable<string>): Carried[] {
  const folders = new Set<string>();
  for (const id of modules) {
    const folder = PACKAGE.exec(id)?.[1];
    const tool = OF_A_TOOL.exec(id)?.[1];
    if (folder) folders.add(folder);
    else if (tool) folders.add(resolve(root, 'node_modules', tool));
  }
  return inOrder([...folders].map(carried));
}

function inOrder(packages: Carried[]): Carried[] {
  const found = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]));
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** `licenses.json` beside the built pages; each build adds what it carries, in the order of names. */
export function licenses(): Plugin {
  let root = '';
  let file = '';
  let found: Carried[] = [];
  return {
    name: 'licenses',
    apply: 'build',
    configResolved(config) {
      root = config.root;
      file = resolve(root, config.build.outDir, 'licenses.json');
    },
    generateBundle() {
      found = carriedBy(root, this.getModuleIds());
    },
    writeBundle() {
      const before: Carried[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
      writeFileSync(file, `${JSON.stringify(inOrder([...before, ...found]), null, 1)}\n`);
    },
  };
}

function carried(folder: string): Carried {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((one) => LICENSE.test(one))
    .sort();
  if (!texts.length || typeof license !== 'string')
    throw new Error(
      `${name} ${version} is in the page and has no licence in ${folder}: say in licenses.ts what it is.`,
    );
  const text = texts.map((one) => readFileSync(join(folder, one), 'utf8').replaceAll('\r\n', '\n').trim()).join('\n\n');
  return { name, version, license, text: (OF_A_TOOL.test(`${name}/`) ? text.split(OF_OTHERS)[0]! : text).trim() };
}
