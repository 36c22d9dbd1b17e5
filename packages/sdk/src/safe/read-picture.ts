/** What the first bytes of a picture say. */
export interface Picture {
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp' | 'image/gif';
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

/** A picture with more pixels takes too much memory to show. */
const maxPixels = 16_000_000;

/**
 * Whether a file may be shown as a picture: its first bytes are those of its type, it does not move, and it has at most 16
 * megapixels.
 *
 * @example
 * if (isShowable(file)) image.src = URL.createObjectURL(new Blob([file.bytes], { type: file.mediaType }));
 */
export function isShowable(file: { readonly mediaType: string; readonly bytes: Uint8Array }): boolean {
  const { type, width = 0, height = 0, isAnimated } = readPicture(file.bytes) ?? {};
  const pixels = width * height;
  return type === file.mediaType && !isAnimated && pixels > 0 && pixels <= maxPixels;
}

/**
 * Reads the header of a JPEG, PNG, WebP or GIF file. Undefined for anything else.
 *
 * @example
 * const picture = readPicture(file.bytes);
 * if (picture) console.log(`${picture.width} x ${picture.height} pixels`);
 */
export function readPicture(bytes: Uint8Array): Picture | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return readPng(view) ?? readJpeg(view) ?? readWebp(view) ?? readGif(view);
  } catch {
    // It is cut off.
    return undefined;
  }
}

const word = (view: DataView, at: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((next) => view.getUint8(at + next)));

function readPng(view: DataView): Picture | undefined {
  if (view.getBigUint64(0) !== 0x89504e470d0a1a0an || word(view, 12) !== 'IHDR') return undefined;
  return {
    type: 'image/png',
    width: view.getUint32(16),
    height: view.getUint32(20),
    isAnimated: hasChunkBefore(view, 'acTL', 'IDAT'),
  };
}

/** Whether a PNG has this chunk before another one. */
function hasChunkBefore(view: DataView, wanted: string, last: string): boolean {
  for (let at = 8; at + 8 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const name = word(view, at + 4);
    if (name === wanted) return true;
    if (name === last) break;
  }
  return false;
}

/**
 * Decoders differ in what they skip between two segments, so anything there but segments that have a length is no picture here: else
 * they could find another frame than this function.
 */
function readJpeg(view: DataView): Picture | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    while (view.getUint8(at) === 0xff && view.getUint8(at + 1) === 0xff) at += 1;
    const marker = view.getUint16(at);
    if (frames.includes(marker)) {
      const [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)];
      return { type: 'image/jpeg', width, height, isAnimated: false };
    }
    if (!isTable(marker) || view.getUint16(at + 2) < 2) return undefined;
  }
}

/** Baseline, extended and progressive, with Huffman or arithmetic coding: no browser decodes others. */
const frames = [0xffc0, 0xffc1, 0xffc2, 0xffc9, 0xffca];

/** Tables, application data and comments. */
const isTable = (marker: number): boolean =>
  [0xffc4, 0xffcc, 0xffdb, 0xffdd, 0xfffe].includes(marker) || (marker >= 0xffe0 && marker <= 0xffef);

function readWebp(view: DataView): Picture | undefined {
  if (word(view, 0) !== 'RIFF' || word(view, 8) !== 'WEBP') return undefined;
  const picture = (width: number, height: number, isAnimated = false): Picture => ({
    type: 'image/webp',
    width,
    height,
    isAnimated,
  });
  const three = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000;
  switch (word(view, 12)) {
    case 'VP8X':
      return picture(three(24) + 1, three(27) + 1, (view.getUint8(20) & 2) !== 0);
    case 'VP8 ':
      return picture(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return picture((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
  }
  return undefined;
}

/** The frames of a GIF may be larger than its screen, which then grows. */
function readGif(view: DataView): Picture | undefined {
  if (!/^GIF8[79]a$/.test(word(view, 0) + word(view, 2).slice(2))) return undefined;
  const two = (at: number) => view.getUint16(at, true);
  const colours = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let [width, height, frames] = [two(6), two(8), 0];
  for (let at = 13 + colours(view.getUint8(10)); frames < 2; ) {
    const kind = at < view.byteLength ? view.getUint8(at) : trailer;
    if (kind === frame) {
      frames += 1;
      width = Math.max(width, two(at + 1) + two(at + 5));
      height = Math.max(height, two(at + 3) + two(at + 7));
      at += 11 + colours(view.getUint8(at + 9));
    } else if (kind === extension) at += 2;
    else if (kind === trailer) break;
    // Decoders differ in what they make of it.
    else return undefined;
    // Blocks with their lengths, up to an empty one.
    for (let length = -1; length !== 0 && at < view.byteLength; at += 1 + length) length = view.getUint8(at);
  }
  return { type: 'image/gif', width, height, isAnimated: frames > 1 };
}

const [frame, extension, trailer] = [0x2c, 0x21, 0x3b];
