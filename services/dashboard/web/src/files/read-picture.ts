/** What the first bytes of a picture say. */
export interface Picture {
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp';
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

/** Reads the header of a JPEG, PNG or WebP file. Undefined for anything else. */
export function readPicture(bytes: Uint8Array): Picture | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return readPng(view) ?? readJpeg(view) ?? readWebp(view);
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
    ...{ type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) },
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

function readJpeg(view: DataView): Picture | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    while (view.getUint8(at) === 0xff && view.getUint8(at + 1) === 0xff) at += 1;
    const marker = view.getUint16(at);
    // The frames, without the three other segments whose markers are between theirs.
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) {
      const [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)];
      return { type: 'image/jpeg', width, height, isAnimated: false };
    }
    // The scan begins, or these are no segments.
    if (marker === 0xffda || marker < 0xff00) return undefined;
  }
}

function readWebp(view: DataView): Picture | undefined {
  if (word(view, 0) !== 'RIFF' || word(view, 8) !== 'WEBP') return undefined;
  const picture = (width: number, height: number, isAnimated = false): Picture => ({
    ...{ type: 'image/webp', width, height, isAnimated },
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
