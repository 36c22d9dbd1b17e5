import { isShowable, readPicture, safeName } from '@expert-relay/sdk/safe';
import type { ImageContent } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { Failure } from '../../failure.ts';
import { type FileContent, maxFiles } from '../../files/file-to-send.ts';
import type { StoredFile } from '../../store/conversations.ts';
import type { ToolCall } from './tool.ts';

const paths = z.array(z.string().min(1).max(4_096)).max(maxFiles).optional();

export const attachInput = paths.describe(
  `Paths of files that go with the text, encrypted: at most ${maxFiles}, 700 kB together. Only from the folder that your user gave to this server (--files), relative to it. No secrets.`,
);

export const laterAttachInput = paths.describe('As in ask_expert.');

export const readAttachments = (
  paths: readonly string[] = [],
  call: Pick<ToolCall, 'files'>,
): readonly FileContent[] => paths.map((path) => readAttachment(path, call));

/** @throws Failure `usage` when it may not be read */
export function readAttachment(path: string, { files }: Pick<ToolCall, 'files'>): FileContent {
  if (files) return files.read(path);
  throw new Failure(
    'usage',
    'This MCP server may not read files: it was started without --files and a folder. Nothing was sent. Call again without files. Your user can add --files to "args" in the MCP settings of this client.',
  );
}

const contentOf = ({ base64 = '' }: StoredFile) => Buffer.from(base64, 'base64');

/** APIs of models refuse pictures with longer sides, and with them the whole conversation. */
const maxSide = 8_000;

function isForModels(file: StoredFile): boolean {
  const bytes = contentOf(file);
  const { width = 0, height = 0 } = readPicture(bytes) ?? {};
  return isShowable({ ...file, bytes }) && Math.max(width, height) <= maxSide;
}

/** The pictures among the files. */
export const toImages = (files: readonly StoredFile[] = []): ImageContent[] =>
  files
    .filter(isForModels)
    .map(({ mediaType, base64 = '' }) => ({ type: 'image', mimeType: mediaType, data: base64 }));

/** One line for each file. The name is foreign text: show it between marks. */
export const describeFiles = (files: readonly StoredFile[] = []): string[] =>
  files.map((file) => {
    const about = `File ${JSON.stringify(safeName(file.name))}, ${file.mediaType}, ${contentOf(file).length} bytes`;
    return isForModels(file)
      ? `${about}: it follows as an image.`
      : `${about}: it is kept, and not shown to you.`;
  });
