import { expect, test } from '@jest/globals';
import { frame, unframed } from './frame.ts';

test.each(['data: x\n\n', 'ü€😀\n\n', 'x'.repeat(5_000), 'one\r\ntwo\n\n'])(
  'a chunk says its length in bytes',
  (text) => {
    const bytes = frame(text);
    const [, length = ''] = /^([0-9a-f]+)\r\n/.exec(bytes.toString()) ?? [];
    expect(Number.parseInt(length, 16)).toBe(Buffer.byteLength(text));
    expect(bytes.toString()).toBe(`${length}\r\n${text}\r\n`);
    expect(unframed(bytes).toString()).toBe(text);
    expect(frame(Buffer.from(text))).toEqual(bytes);
  },
);
