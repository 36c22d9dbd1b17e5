import { parser as commonMark, GFM } from '@lezer/markdown';
import { countTall } from '../ui/written.tsx';
import type { Block } from './blocks.ts';
import { BlockMaker } from './make-blocks.ts';
import { PaintedText } from './painted-text.ts';
import { maxBlockLength } from './split-text.ts';

/** The elements that a text may become. */
const maxElements = 4_000;
/** Characters under stacks of marks. */
const maxTall = 500;
/** A text with more lists and quotes within each other is not parsed. */
const tooDeep = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){20}/m;

const parser = commonMark.configure([
  GFM,
  {
    // What these stand for is not shown: they are text.
    remove: ['HTMLBlock', 'HTMLTag', 'Entity', 'LinkReference', 'SetextHeading'],
    // The time for a block grows with the square of its length.
    parseInline: [
      {
        name: 'LongBlock',
        before: 'Escape',
        parse: ({ offset, end }) => (end - offset > maxBlockLength ? end : -1),
      },
    ],
  },
]);

/**
 * Divides a text into blocks. The parser only says how characters look: each is in one block, in its order, so that none can be
 * lost. It yields while there is more to do. Returns undefined for a text that would become too many elements.
 */
export function* layOut(text: string): Generator<void, readonly Block[] | undefined> {
  if (tooDeep.test(text) || countTall(text) > maxTall) return undefined;
  const parse = parser.startParse(text);
  let tree = parse.advance();
  for (; !tree; tree = parse.advance()) yield;
  const painted = new PaintedText(text);
  tree.iterate({ enter: (node) => painted.enter(node), leave: (node) => painted.leave(node) });
  yield;
  const maker = new BlockMaker(painted);
  const blocks: Block[] = [];
  for (const lines of painted.allLines()) {
    blocks.push(...maker.make(lines));
    if (maker.elements + blocks.length > maxElements) return undefined;
  }
  return blocks;
}
