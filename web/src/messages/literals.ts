// Finds text that a source file would show itself instead of taking it from the catalogue.

import { parse } from 'svelte/compiler';
import ts from 'typescript';
import schema from '../protocol/schema.json';

export type Literal = { line: number; text: string };

/** Attributes and properties whose value is read or heard. */
const SPOKEN = new Set([
  'alt',
  'aria-label',
  'aria-description',
  'aria-valuetext',
  'aria-roledescription',
  'label',
  'placeholder',
  'spoken',
  'title',
]);
/** Strings of several words that nobody reads: queries and values of style sheets, selectors, classes, fonts, markup. */
const NOT_READ =
  /^\((prefers|max)-|minmax\(|calc\(|color-mix\(|\bvar\(|^\w+ solid$|^cm-|\[[a-z-]+=|^\.[\w-]+ \w+|^button, |^>?<[a-zA-Z]+ [\w:-]+="|\dpx | Variable$/;
/** What stands in code is the reader's language of programming, not of the page. */
const CODE = new Set(['code', 'kbd', 'style', 'script']);
const LETTER = /\p{L}/u;
const WORDS = /\p{L}{2,}[,.:;]? \p{L}+/u;

/** Words of the protocol, such as the kinds of hooks: they are compared, not shown. */
const PROTOCOL = new Set([...JSON.stringify(schema).matchAll(/"([^"\\]*)"/g)].map(([, word]) => word!));

const COMPARISONS = new Set(['===', '!==']);

type Tree = { type: string; start: number; [key: string]: unknown };

/** Text of a .svelte file: in its markup every word, in its expressions what they may say. */
export function literalsOfComponent(source: string): Literal[] {
  const found = new Map<number, string>();
  const root = parse(source, { modern: true }) as unknown as Record<string, Tree>;
  walkMarkup(root.fragment as Tree, found);
  const script = (root.instance as Tree | undefined)?.content as Tree | undefined;
  if (script) walkCode(script, found);
  return listed(source, found);
}

/** Text of a .ts module: strings of more than one word. */
export function literalsOfModule(source: string): Literal[] {
  const found = new Map<number, string>();
  const file = ts.createSourceFile('module.ts', source, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (node.parent && ts.isBinaryExpression(node.parent) && COMPARISONS.has(node.parent.operatorToken.getText(file)))
      return;
    if (isCompared(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node))
      if (isWords(node.text)) found.set(node.getStart(file), node.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return listed(source, found);
}

/** Whether a text is looked for in another one, as by `startsWith`. */
function isCompared({ parent }: ts.Node): boolean {
  if (!parent || !ts.isCallExpression(parent) || !ts.isPropertyAccessExpression(parent.expression)) return false;
  return /^(startsWith|endsWith|includes)$/.test(parent.expression.name.text);
}

function isWords(text: string): boolean {
  return WORDS.test(text) && !NOT_READ.test(text) && !PROTOCOL.has(text);
}

function listed(source: string, found: Map<number, string>): Literal[] {
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([start, text]) => ({ line: source.slice(0, start).split('\n').length, text: text.trim() }));
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && typeof (value as Tree).type === 'string';
}

function branches(tree: Tree): [string, Tree][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).filter(isTree).map((branch): [string, Tree] => [key, branch]),
  );
}

function walkMarkup(tree: Tree, found: Map<number, string>): void {
  if (tree.type === 'Text') say(tree, tree.data as string, found);
  else if (tree.type === 'ExpressionTag') walkResult(tree.expression as Tree, found);
  else if (tree.type === 'Attribute') walkAttribute(tree, found);
  else if (tree.type === 'StyleDirective' || tree.type === 'Comment' || CODE.has(tree.name as string)) return;
  else for (const [, branch] of branches(tree)) walkMarkup(branch, found);
  if (tree.type === 'IfBlock' || tree.type === 'EachBlock' || tree.type === 'ConstTag') walkCode(tree, found, true);
}

function walkAttribute(tree: Tree, found: Map<number, string>): void {
  const values = (Array.isArray(tree.value) ? tree.value : [tree.value]).filter(isTree);
  const spoken = SPOKEN.has(tree.name as string);
  for (const value of values) {
    if (value.type === 'Text' && spoken) say(value, value.data as string, found);
    if (value.type !== 'ExpressionTag') continue;
    if (spoken) walkResult(value.expression as Tree, found);
    else walkCode(value.expression as Tree, found);
  }
}

function say(tree: Tree, text: string, found: Map<number, string>): void {
  if (LETTER.test(text)) found.set(tree.start, text);
}

/** Walks an expression that is shown: what it may be is text, whatever its words. */
function walkResult(tree: Tree, found: Map<number, string>): void {
  switch (tree.type) {
    case 'Literal':
      if (typeof tree.value === 'string') say(tree, tree.value, found);
      return;
    case 'TemplateLiteral':
      for (const quasi of tree.quasis as Tree[]) say(quasi, (quasi.value as { cooked: string }).cooked, found);
      for (const part of tree.expressions as Tree[]) walkResult(part, found);
      return;
    case 'ConditionalExpression':
      walkResult(tree.consequent as Tree, found);
      walkResult(tree.alternate as Tree, found);
      return;
    case 'LogicalExpression':
    case 'BinaryExpression':
      if (tree.type === 'BinaryExpression' && tree.operator !== '+') return;
      walkResult(tree.left as Tree, found);
      walkResult(tree.right as Tree, found);
      return;
    default:
      walkCode(tree, found);
  }
}

/** Walks code that is not itself shown: strings of more than one word are text. */
function walkCode(tree: Tree, found: Map<number, string>, markup = false): void {
  if (tree.type === 'BinaryExpression' && COMPARISONS.has(tree.operator as string)) return;
  if (tree.type === 'ImportDeclaration' || (markup && tree.type === 'Fragment')) return;
  if (tree.type === 'Literal' && typeof tree.value === 'string' && isWords(tree.value))
    found.set(tree.start, tree.value);
  if (tree.type === 'TemplateElement') {
    const text = (tree.value as { cooked: string }).cooked;
    if (isWords(text)) found.set(tree.start, text);
  }
  // The key of a record is compared, its value may be shown.
  for (const [name, branch] of branches(tree))
    if (tree.type !== 'Property' || name !== 'key') walkCode(branch, found, markup);
}
