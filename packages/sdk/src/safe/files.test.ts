import { describe, expect, test } from '@jest/globals';
import { isShowable, readPicture, safeName } from './index.ts';

const bytes = (...parts: readonly (string | number)[]): Uint8Array =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === 'number' ? Buffer.of(part) : Buffer.from(part.replaceAll(' ', ''), 'hex'),
    ),
  );
const ascii = (text: string): string => Buffer.from(text, 'latin1').toString('hex');
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
const little = (value: number): string => `${hex(value & 255, 2)}${hex(value >> 8, 2)}`;

const png = (width: number, height: number, chunk = 'IDAT') =>
  bytes(
    '89504e470d0a1a0a 0000000d',
    ascii('IHDR'),
    `${hex(width, 8)}${hex(height, 8)} 0802000000 00000000 00000000`,
    ascii(chunk),
    '00000000',
  );
const jpeg = (width: number, height: number, marker = 'ffc0') =>
  bytes('ffd8 ffe0 0004 0000 ffc4 0003 00 ff', `${marker} 0011 08 ${hex(height, 4)}${hex(width, 4)} 03`);
const webp = (chunk: string, body: string) =>
  bytes(ascii('RIFF'), '00000000', ascii('WEBP'), ascii(chunk), '00000000', body);
const frame = (width: number, height: number) =>
  `2c 0000 0000 ${little(width)}${little(height)} 00 02 02 4c01 00`;
const gif = (width: number, height: number, ...frames: readonly string[]) =>
  bytes(
    ascii('GIF89a'),
    `${little(width)}${little(height)} 80 00 00 000000ffffff`,
    '21f904 00000000 00',
    ...frames,
    '3b',
  );

const large = 'image/png';

describe('the header of a picture', () => {
  test.each<[string, Uint8Array, object | undefined]>([
    ['PNG', png(300, 200), { type: 'image/png', width: 300, height: 200, isAnimated: false }],
    ['an animated PNG', png(3, 2, 'acTL'), { type: 'image/png', width: 3, height: 2, isAnimated: true }],
    ['JPEG', jpeg(300, 200), { type: 'image/jpeg', width: 300, height: 200, isAnimated: false }],
    ['progressive JPEG', jpeg(9, 8, 'ffc2'), { type: 'image/jpeg', width: 9, height: 8, isAnimated: false }],
    [
      'lossy WebP',
      webp('VP8 ', `300000 9d012a ${little(300)}${little(200)}`),
      { type: 'image/webp', width: 300, height: 200, isAnimated: false },
    ],
    [
      'lossless WebP',
      webp('VP8L', `2f ${little((299 & 0x3fff) | ((199 & 3) << 14))}${little(199 >> 2)}`),
      { type: 'image/webp', width: 300, height: 200, isAnimated: false },
    ],
    [
      'animated WebP',
      webp('VP8X', '02000000 2b0100 c70000'),
      { type: 'image/webp', width: 300, height: 200, isAnimated: true },
    ],
    [
      'GIF',
      gif(300, 200, frame(300, 200)),
      { type: 'image/gif', width: 300, height: 200, isAnimated: false },
    ],
    [
      'an animated GIF',
      gif(3, 2, frame(3, 2), frame(3, 2)),
      { type: 'image/gif', width: 3, height: 2, isAnimated: true },
    ],
    [
      'a GIF with a frame that is larger than its screen',
      gif(3, 2, frame(9_000, 8_000)),
      { type: 'image/gif', width: 9_000, height: 8_000, isAnimated: false },
    ],
    ['a JPEG that ends before its frame', bytes('ffd8 ffda 0004 0000'), undefined],
    ...['ff00', 'ff01', 'ffd0', 'ffd7', 'ffd8', 'ffd9', 'ff02', 'ffbf', 'ffc8', 'fff0', '00', 'ffe00001'].map(
      (inserted): [string, Uint8Array, undefined] => [
        `a JPEG with ${inserted} between its segments`,
        Buffer.concat([bytes('ffd8', inserted), jpeg(12_000, 12_000).subarray(2)]),
        undefined,
      ],
    ),
    [
      'a JPEG with fill bytes',
      bytes('ffd8 ffffff', 'fffe 0002 ffc0 0011 08 0002 0003 03'),
      { type: 'image/jpeg', width: 3, height: 2, isAnimated: false },
    ],
    ['a GIF with a byte between its blocks', gif(3, 2, '00', frame(9_000, 8_000)), undefined],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"/>'), undefined],
    ['HTML', Buffer.from('<!doctype html><script>hostile()</script>'), undefined],
    ['nothing', new Uint8Array(), undefined],
  ])('of %s', (_name, content, expected) => {
    expect(readPicture(content)).toEqual(expected);
    // No prefix of it is read beyond its end, or without an end.
    for (let length = 0; length < content.length; length += 1) readPicture(content.subarray(0, length));
  });

  test('is found within a larger buffer', () => {
    const all = Buffer.concat([Buffer.alloc(7), png(3, 2)]);
    expect(readPicture(all.subarray(7))).toMatchObject({ width: 3, height: 2 });
  });
});

describe('a file is shown as a picture', () => {
  test.each<[string, string, Uint8Array, boolean]>([
    ['of its type', 'image/png', png(4_000, 4_000), true],
    ['of another type', 'image/jpeg', png(3, 2), false],
    ['of a type in other letters', 'IMAGE/PNG', png(3, 2), false],
    ['with more than 16 megapixels', large, png(4_001, 4_000), false],
    ['with more pixels than a number holds', large, png(0xffffffff, 0xffffffff), false],
    ['without pixels', large, png(0, 2), false],
    ['that moves', 'image/gif', gif(3, 2, frame(3, 2), frame(3, 2)), false],
    ['that is none', 'image/svg+xml', Buffer.from('<svg/>'), false],
  ])('%s: %s', (_name, mediaType, content, isShown) => {
    expect(isShowable({ mediaType, bytes: content })).toBe(isShown);
  });
});

describe('a name for a file that was sent', () => {
  test.each([
    ['report.pdf', 'report.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Windows\\System32\\drivers', 'drivers'],
    ['.ssh/.bashrc', 'bashrc'],
    ['..', 'file'],
    ['/', 'file'],
    ['\u202efdp.exe', 'fdp.exe'],
    ['a\u0000b\nc.txt', 'abc.txt'],
    ['CON.txt', '_CON.txt'],
    ['com².txt', '_com².txt'],
    ['LPT¹', '_LPT¹'],
    ['lpt³.tar.gz', '_lpt³.tar.gz'],
    ['CONIN$', '_CONIN$'],
    ['com⁴.txt', 'com⁴.txt'],
    ['a<b>:"|?*.txt', 'a_b______.txt'],
    ['ending. . .', 'ending'],
    ['-rf', '-rf'],
    [`${'ü'.repeat(300)}.pdf`, `${'ü'.repeat(56)}.pdf`],
    [`${'😀'.repeat(60)}.png`, `${'😀'.repeat(56)}.png`],
    ['\ud800.txt', 'txt'],
  ])('%j becomes %j', (name, safe) => {
    expect(safeName(name)).toBe(safe);
    expect(Buffer.byteLength(safeName(name))).toBeLessThanOrEqual(255);
  });
});
