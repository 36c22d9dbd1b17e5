import { expect, test } from '@jest/globals';
import { type Block, readBlocks } from './open-stream.ts';

async function blocksOf(...pieces: string[]): Promise<Block[]> {
  const blocks: Block[] = [];
  for await (const block of readBlocks(ReadableStream.from(pieces.map((piece) => Buffer.from(piece))))) {
    blocks.push(block);
  }
  return blocks;
}

test('readBlocks: reads fields, joins data lines, and skips comments and incomplete blocks', async () => {
  expect(
    await blocksOf('retry: 500\n: hello\nid: 1\nevent: a\ndata: x\ndata: y\n\nid: 2\n\ndata: cut of'),
  ).toEqual([{ id: '1', event: 'a', data: 'x\ny' }, { id: '2' }]);
});

test('readBlocks: decodes chunks that end inside a character', async () => {
  const bytes = Buffer.from('data: {"question":"grün"}\n\n');
  const pieces = [...bytes].map((byte) => Buffer.from([byte]));
  const blocks = [];
  for await (const block of readBlocks(ReadableStream.from(pieces))) blocks.push(block);
  expect(blocks).toEqual([{ data: '{"question":"grün"}' }]);
});
