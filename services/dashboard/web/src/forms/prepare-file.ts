import type { ReceivedFile } from '@expert-relay/sdk';
import { type Picture, readPicture, showHidden } from '@expert-relay/sdk/safe';
import { fileSize } from './file-size.ts';

export interface Prepared {
  /** Undefined when it cannot be sent. */
  readonly file?: ReceivedFile;
  /** What was changed, or why it cannot be sent. */
  readonly notice?: string;
}

/** Several pictures together have room in one message. */
const maxPictureBytes = 330_000;
/** The longest sides that are tried, in pixels. */
const longestSides = [2_048, 1_600, 1_280, 1_024, 800, 640, 480];
/** A larger picture takes too much memory to be opened. */
const maxPixels = 100_000_000;
const maxNameBytes = 255;

/**
 * Prepares a file for sending. Pictures are encoded again, so that they do not say where they were taken, and are scaled
 * down. `room`: how many bytes the message can still carry.
 */
export async function prepareFile(file: File, room: number): Promise<Prepared> {
  const name = showHidden(file.name).slice(0, 80);
  const tooLarge = {
    notice: `${name} was not attached: it has ${fileSize(file.size)}, and there is room for ${fileSize(room)}.`,
  };
  const picture = readPicture(new Uint8Array(await file.slice(0, 1_000_000).arrayBuffer()));
  // Browsers cannot encode GIF, and it has no place for a position.
  if (picture && picture.type !== 'image/gif') {
    if (picture.width * picture.height > maxPixels)
      return { notice: `${name} was not attached: it is too large.` };
    try {
      return (await encode(file, picture, Math.min(room, maxPictureBytes))) ?? tooLarge;
    } catch {
      return { notice: `${name} was not attached: this browser cannot open it.` };
    }
  }
  if (file.size > room) return tooLarge;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(file.type) ? file.type : 'application/octet-stream';
  return {
    file: { name: shorten(file.name), mediaType, bytes },
  };
}

/** What to know before such a file is sent, also after a reload. Pictures that were encoded again need no warning. */
export function warningOf({ name, mediaType, bytes }: ReceivedFile): string | undefined {
  if (!/^(?:image\/(?!gif)|video\/)/.test(mediaType) || readPicture(bytes)) return undefined;
  return `${showHidden(name).slice(0, 80)} is sent unchanged. It may say where and when it was taken.`;
}

async function encode(
  file: File,
  { type, isAnimated }: Picture,
  maxBytes: number,
): Promise<Prepared | undefined> {
  const bitmap = await createImageBitmap(file);
  try {
    const { width, height } = bitmap;
    // Photographs that are sent as PNG are too large: then JPEG is tried.
    const types = type === 'image/png' ? [type, 'image/jpeg'] : [type];
    for (const side of longestSides) {
      const scale = Math.min(1, side / Math.max(width, height));
      for (const wanted of types) {
        const drawn = await draw(bitmap, scale, wanted);
        if (drawn.size > maxBytes) continue;
        const notes = [
          ...(scale < 1 ? [`scaled down from ${width} × ${height} pixels`] : []),
          ...(drawn.type === type ? [] : ['sent as JPEG']),
          ...(isAnimated ? ['sent as a still picture'] : []),
        ];
        const shown = showHidden(file.name).slice(0, 80);
        return {
          file: {
            name: drawn.type === type ? shorten(file.name) : shorten(file.name.replace(/\.\w+$/, ''), '.jpg'),
            mediaType: drawn.type,
            bytes: new Uint8Array(await drawn.arrayBuffer()),
          },
          ...(notes.length > 0 && { notice: `${shown} is ${notes.join(', and ')}.` }),
        };
      }
    }
    return undefined;
  } finally {
    bitmap.close();
  }
}

async function draw(bitmap: ImageBitmap, scale: number, type: string): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('There is no memory for a canvas.');
  context.imageSmoothingQuality = 'high';
  if (type === 'image/jpeg') {
    // JPEG has no transparency.
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.85));
  if (!blob) throw new Error('The picture cannot be encoded.');
  // Some browsers cannot encode WebP, and give PNG.
  return blob.type === type ? blob : draw(bitmap, scale, 'image/jpeg');
}

/** A name that a message can carry, with its extension. */
function shorten(name: string, given?: string): string {
  const extension = given ?? /\.\w{1,10}$/.exec(name)?.[0] ?? '';
  let stem = given || !extension ? name : name.slice(0, -extension.length);
  const length = () => new TextEncoder().encode(stem + extension).length;
  while (length() > maxNameBytes) stem = [...stem].slice(0, -1).join('');
  return stem + extension || 'file';
}
