import { expect, test } from '@jest/globals';
import { chunkContent, toChunk } from './encode.ts';

test.each(['data: x\n\n', 'ü€😀\n\n', 'x'.repeat(5_000), 'one\r\ntwo\n\n'])(
  'a chunk begins with its length in bytes',
  (text) => {
    const bytes = toChunk(text);
    const [, length = ''] = /^([0-9a-f]+)\r\n/.exec(bytes.toString()) ?? [];
    expect(Number.parseInt(length, 16)).toBe(Buffer.byteLength(text));
    expect(bytes.toString()).toBe(`${length}\r\n${text}\r\n`);
    expect(chunkContent(bytes).toString()).toBe(text);
    expect(toChunk(Buffer.from(text))).toEqual(bytes);
  },
);
