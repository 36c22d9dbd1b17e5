import { describe, expect, test } from '@jest/globals';
import { fileSize } from './file-size.ts';
import { prepareFile, warningOf } from './prepare-file.ts';

/* Encoding needs a browser: test/browser/files.test.ts. */

const text = new TextEncoder().encode('It hangs.');
const file = (name: string, type: string, bytes = text) => new File([bytes], name, { type });

test.each([
  ['build.log', 'text/plain', 'text/plain'],
  ['core', '', 'application/octet-stream'],
  ['page.html', 'text/html; charset=utf-8', 'application/octet-stream'],
])('%s of the type %j is sent as it is, as %s', async (name, type, mediaType) => {
  expect(await prepareFile(file(name, type), 700_000)).toEqual({ file: { name, mediaType, bytes: text } });
});

test('a picture or film that is not encoded again is sent with a warning', async () => {
  for (const type of ['image/heic', 'image/svg+xml', 'video/mp4']) {
    const { file: sent } = await prepareFile(file('IMG_1', type), 700_000);
    expect(sent?.mediaType).toBe(type);
    expect(sent && warningOf(sent)).toBe('IMG_1 is sent unchanged. It may say where and when it was taken.');
  }
});

test('a name that is too long is shortened, and keeps its extension', async () => {
  const { file: sent } = await prepareFile(file(`${'ü'.repeat(200)}.log`, ''), 700_000);
  expect(sent?.name).toBe(`${'ü'.repeat(125)}.log`);
});

describe('a file', () => {
  test('without room is not attached', async () => {
    expect(await prepareFile(file('a\u202eb', ''), 8)).toEqual({
      notice: 'a<U+202E>b was not attached: it has 9 bytes, and there is room for 8 bytes.',
    });
  });

  test('that has too many pixels is not opened', async () => {
    const png = Buffer.concat([
      Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
      Buffer.from('00004e2000004e200802000000', 'hex'),
    ]);
    const { file: sent, notice } = await prepareFile(file('huge.png', 'image/png', png), 700_000);
    expect(sent).toBeUndefined();
    expect(notice).toBe('huge.png was not attached: it is too large.');
  });
});

test.each([
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_240, '1.2 kB'],
  [48_312, '48 kB'],
  [700_000, '700 kB'],
])('%i bytes are shown as %s', (bytes, shown) => {
  expect(fileSize(bytes)).toBe(shown);
});
