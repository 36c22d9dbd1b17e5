import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { Failure } from '../failure.ts';

/** A file of this machine, as a message carries it. */
export interface FileContent {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** What a message carries at most. */
export const maxFiles = 8;
const maxBytes = 700_000;

/** For all commands that send messages. */
export const attachOption = {
  value: 'FILE',
  many: true,
  help: 'a file to send, encrypted; several times for up to 8 files, 700 kB together',
} as const;

const mediaTypes: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.log': 'text/plain',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.zip': 'application/zip',
};

interface ReadOptions {
  /** Called with the open file, before it is read. */
  readonly check?: (file: number) => void;
  /** Further flags for opening it. */
  readonly flags?: number;
}

/**
 * Reads a file. A pipe or a device is refused without waiting for its content.
 * @throws Failure `usage`
 */
export function readFileToSend(path: string, { check, flags = 0 }: ReadOptions = {}): FileContent {
  const name = basename(path) || path;
  const refuse = (why: string) =>
    new Failure('usage', `${name} cannot be attached: ${why}. Nothing was sent: name another file.`);
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  } catch (error) {
    throw refuse(reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? 'it cannot be read');
  }
  try {
    check?.(file);
    const about = fstatSync(file);
    if (!about.isFile()) throw refuse('it is no file');
    if (about.size > maxBytes) {
      throw refuse(`it has ${about.size} bytes, and a message carries ${maxBytes} bytes of files at most`);
    }
    const mediaType = mediaTypes[extname(name).toLowerCase()] ?? 'application/octet-stream';
    return { name, mediaType, bytes: readFileSync(file) };
  } finally {
    closeSync(file);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read it',
};
