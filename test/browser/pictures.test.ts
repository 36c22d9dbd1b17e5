import { readPicture } from '@expert-relay/sdk/safe';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { openBrowser } from './setup/open-browser.ts';
import { drawPicture } from './setup/sample-pictures.ts';

/*
 * Two parsers of one format: what this product reads in the header of a picture decides whether it is shown, and Chromium decodes what
 * Chromium reads. So each file that Chromium can decode has the size that `readPicture` says, or is no picture for it.
 */

type Bytes = readonly number[];
const two = (value: number): Bytes => [value >> 8, value & 255];
const ascii = (text: string): Bytes => [...Buffer.from(text, 'latin1')];

/** A sequence of numbers that looks random, and is the same in each run. */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

let browser: Browser;
let page: Page;
/** Real pictures of 16 by 16, as Chromium encodes them. */
let real: Readonly<Record<'jpeg' | 'png' | 'webp', Bytes>>;

beforeAll(async () => {
  browser = await openBrowser();
  page = await browser.newPage();
  const encode = async (type: string) => [
    ...(await drawPicture(page, { type: `image/${type}`, width: 16, height: 16 })),
  ];
  real = { jpeg: await encode('jpeg'), png: await encode('png'), webp: await encode('webp') };
});
afterAll(() => browser?.close());

/** The sizes that Chromium finds: undefined where it shows nothing. */
const sizesOf = (files: readonly Bytes[], type: string) =>
  page.evaluate(
    ({ files, type }) =>
      Promise.all(
        files.map(async (base64) => {
          const image = new (globalThis as unknown as { Image: new () => ShownImage }).Image();
          image.src = `data:${type};base64,${base64}`;
          await new Promise((resolve) => {
            image.onload = resolve;
            image.onerror = resolve;
          });
          return image.naturalWidth > 0 ? `${image.naturalWidth}x${image.naturalHeight}` : undefined;
        }),
      ),
    { files: files.map((file) => Buffer.from(file).toString('base64')), type },
  );

interface ShownImage {
  src: string;
  onload: (value: unknown) => void;
  onerror: (value: unknown) => void;
  readonly naturalWidth: number;
  readonly naturalHeight: number;
}

/** Compares all files, and returns how many Chromium shows. */
async function compare(files: readonly Bytes[], type: string): Promise<number> {
  const sizes = await sizesOf(files, type);
  const wrong = files.flatMap((file, index) => {
    const picture = readPicture(Uint8Array.from(file));
    const read = picture && `${picture.width}x${picture.height}`;
    const shown = sizes[index];
    return shown === undefined || read === undefined || read === shown
      ? []
      : [{ file: Buffer.from(file).toString('hex').slice(0, 400), read, shown }];
  });
  expect(wrong).toEqual([]);
  return sizes.filter((size) => size !== undefined).length;
}

/** The file with other bytes here and there. */
function* damaged(file: Bytes, count: number, draw: (below: number) => number): Generator<Bytes> {
  for (let made = 0; made < count; made += 1) {
    const bytes = [...file];
    for (let changes = draw(3); changes >= 0; changes -= 1) {
      const at = draw(Math.min(bytes.length, 64));
      const kind = draw(3);
      if (kind === 0) bytes[at] = draw(256);
      else if (kind === 1) bytes.splice(at, 0, ...Array.from({ length: 1 + draw(4) }, () => draw(256)));
      else bytes.splice(at, 1 + draw(4));
    }
    yield bytes;
  }
}

describe('a JPEG', () => {
  /** A frame of 2,000 by 1,000 and one of 3 by 2, which the file does not have. */
  const frames = [
    [0xff, 0xc0, ...two(17), 8, ...two(1_000), ...two(2_000), 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1],
    [0xff, 0xc0, ...two(17), 8, ...two(2), ...two(3), 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1],
  ] as const;
  /** A segment with a frame where a reader looks that takes its marker for a length. */
  const segment = (marker: number, length: number): Bytes => {
    const body = Array.from({ length: length - 2 }, () => 0);
    const at = Math.min(0xff00 + marker - 4, length - 30);
    body.splice(Math.max(at, 0), frames[1].length, ...frames[1]);
    return [0xff, marker, ...two(length), ...body.slice(0, length - 2)];
  };
  /** What may stand between two segments, or looks so. */
  const insertions: readonly Bytes[] = [
    ...Array.from({ length: 256 }, (_, marker) => [0xff, marker]),
    ...Array.from({ length: 256 }, (_, marker) => [0xff, marker, 0, 2]),
    ...Array.from({ length: 32 }, (_, marker) => [0xff, 0xe0 + (marker % 16), 0, marker >> 4]),
    ...[[0], [0, 0xff], [0xff, 0xff], [0xff, 0xff, 0xff, 0x01], [0xff, 0x00, 0xff], [0xff, 0xd8, 0xff, 0xd9]],
    ...[0x00, 0x01, 0xd0, 0xd7].flatMap((lone) =>
      [0xe0, 0xe1].map((marker) => [0xff, lone, ...segment(marker, 0xfffe)]),
    ),
    segment(0xfe, 500),
    ...frames,
  ];

  test('has the size that Chromium decodes, whatever stands between its segments', async () => {
    const { jpeg } = real;
    /** Where segments begin, up to the scan. */
    const starts: number[] = [];
    for (let at = 2; jpeg[at + 1] !== 0xda; at += 2 + (jpeg[at + 2] ?? 0) * 256 + (jpeg[at + 3] ?? 0))
      starts.push(at);
    const files = insertions.flatMap((insertion) =>
      [starts[0] ?? 2, starts[1] ?? 2].map((at) => [...jpeg.slice(0, at), ...insertion, ...jpeg.slice(at)]),
    );
    expect(await compare(files, 'image/jpeg')).toBeGreaterThan(100);
    expect(await compare([...damaged(jpeg, 600, draws(1))], 'image/jpeg')).toBeGreaterThan(40);
  });
});

test('a PNG has the size that Chromium decodes', async () => {
  const { png } = real;
  expect(await compare([...damaged(png, 600, draws(2))], 'image/png')).toBeGreaterThan(40);
});

test('a WebP has the size that Chromium decodes', async () => {
  const { webp } = real;
  const extended = (flags: number, width: number, height: number): Bytes => {
    const three = (value: number) => [value & 255, (value >> 8) & 255, value >> 16];
    const chunk = [...ascii('VP8X'), 10, 0, 0, 0, flags, 0, 0, 0, ...three(width - 1), ...three(height - 1)];
    const body = [...ascii('WEBP'), ...chunk, ...webp.slice(12)];
    return [...ascii('RIFF'), body.length & 255, body.length >> 8, 0, 0, ...body];
  };
  const flags = Array.from({ length: 64 }, (_, at) => at);
  const files = flags.flatMap((flag) => [extended(flag, 16, 16), extended(flag, 2_000, 1_000)]);
  await compare([webp, ...files], 'image/webp');
  expect(await compare([...damaged(webp, 600, draws(3))], 'image/webp')).toBeGreaterThan(20);
});

describe('a GIF', () => {
  const little = (value: number): Bytes => [value & 255, value >> 8];
  const frame = (width: number, height: number): Bytes => [
    ...[0x2c, 0, 0, 0, 0, ...little(width), ...little(height), 0],
    ...[2, 2, 0x4c, 0x01, 0],
  ];
  const screen = [...ascii('GIF89a'), ...little(3), ...little(2), 0x80, 0, 0, 0, 0, 0, 255, 255, 255];
  const between: readonly Bytes[] = [
    ...Array.from({ length: 256 }, (_, byte) => [byte]),
    ...Array.from({ length: 256 }, (_, kind) => [0x21, kind, 0]),
    ...Array.from({ length: 32 }, (_, length) => [0x21, 0xf9, length, ...frame(9, 9), 0]),
    ...Array.from({ length: 32 }, (_, length) => [0x21, 0xfe, length, ...frame(9, 9), 0]),
  ];

  test('has the size that Chromium decodes', async () => {
    const files = between.flatMap((insertion) =>
      [frame(3, 2), frame(200, 100)].map((own) => [...screen, ...insertion, ...own, 0x3b]),
    );
    expect(await compare(files, 'image/gif')).toBeGreaterThan(100);
    const whole = [...screen, ...frame(200, 100), 0x3b];
    expect(await compare([...damaged(whole, 600, draws(4))], 'image/gif')).toBeGreaterThan(20);
  });
});
