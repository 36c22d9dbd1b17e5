import { Failure } from '../failure.ts';

const mebibyte = 2 ** 20;

export const isTooLarge = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'answer_too_large';

/**
 * Reads JSON; undefined when it is none. The limit counts bytes after decompression: a few kilobytes of gzip can
 * hold gigabytes.
 */
export async function readAnswer(answer: Response, mebibytes = 1): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const piece of answer.body ?? []) {
    size += piece.length;
    // Leaving the loop cancels the body, which ends the connection.
    if (size > mebibytes * mebibyte) {
      throw new Failure(
        'failed',
        `The answer is not a relay's: it is longer than ${mebibytes} MiB. Check RELAY_URL, and any proxy on the way.`,
        { code: 'answer_too_large' },
      );
    }
    text += decoder.decode(piece, { stream: true });
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
