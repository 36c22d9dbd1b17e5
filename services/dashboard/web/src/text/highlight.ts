import { showHidden } from '@expert-relay/sdk/safe';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import type { Block } from './blocks.ts';
import { maxBlockLength } from './split-text.ts';

/** What is coloured at most. Some grammars take quadratic time for a long line: within these limits the worst takes 50 ms. */
const maxCharacters = 10_000;
const maxLine = 400;
/** Of one text: a page may show twenty. */
const maxElements = 800;

const languages = createLowlight({
  bash,
  css,
  dockerfile,
  go,
  java,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
});
languages.registerAlias({ bash: ['console', 'shell', 'zsh'], json: ['jsonc'] });

type Kind = 'comment' | 'keyword' | 'name' | 'number' | 'string';

const kinds: Readonly<Record<string, Kind>> = {
  comment: 'comment',
  quote: 'comment',
  keyword: 'keyword',
  built_in: 'keyword',
  type: 'keyword',
  meta: 'keyword',
  'selector-tag': 'keyword',
  title: 'name',
  name: 'name',
  section: 'name',
  attr: 'name',
  attribute: 'name',
  'selector-class': 'name',
  number: 'number',
  literal: 'number',
  symbol: 'number',
  string: 'string',
  regexp: 'string',
};

/** A piece of code. Only pieces of one kind are coloured. */
interface Piece {
  text: string;
  readonly kind: Kind | undefined;
}

type Tree = ReturnType<typeof languages.highlight>['children'];

/**
 * The pieces of a code; undefined for an unknown language and for code that would take too much work. They are not nested,
 * since deep nesting is slow to lay out.
 */
export function piecesOf(code: string, language: string): readonly Piece[] | undefined {
  const isLong = code.length > maxCharacters || code.split('\n').some(({ length }) => length > maxLine);
  if (isLong || !languages.registered(language)) return undefined;
  const pieces: Piece[] = [];
  // Code such as "`${" repeated is nested by thousands of levels: functions that call themselves would exceed the stack.
  const left: [node: Tree[number], kind: Kind | undefined][] = [];
  const add = (tree: Tree, kind?: Kind) => {
    for (const node of [...tree].reverse()) left.push([node, kind]);
  };
  add(languages.highlight(language, code).children);
  for (let next = left.pop(); next; next = left.pop()) {
    const [node, kind] = next;
    const last = pieces.at(-1);
    if (node.type === 'element') add(node.children, kindOf(node.properties.className) ?? kind);
    else if (node.type !== 'text') continue;
    else if (last && last.kind === kind) last.text += node.value;
    else pieces.push({ text: node.value, kind });
  }
  return pieces;
}

/** Of classes such as `hljs-title function_`. */
const kindOf = (classes: unknown): Kind | undefined =>
  Array.isArray(classes) ? kinds[String(classes[0]).replace(/^hljs-/, '')] : undefined;

/** Colours the code that names its language. Its text stays the same. It yields between the blocks. */
export function* colourCode(blocks: readonly Block[]): Generator<void, readonly Block[]> {
  let [characters, elements] = [0, 0];
  const coloured: Block[] = [];
  for (const block of blocks) {
    coloured.push(block);
    if (block.kind !== 'code' || !block.language || block.indent > 0) continue;
    const body = showHidden(block.body);
    characters += body.length;
    if (characters > maxCharacters || body.length > maxBlockLength) continue;
    const pieces = piecesOf(body, block.language);
    elements += pieces?.length ?? 0;
    if (pieces && elements <= maxElements) coloured.splice(-1, 1, { ...block, pieces });
    yield;
  }
  return coloured;
}
