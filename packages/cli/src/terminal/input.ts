import { createInterface } from 'node:readline/promises';
import { addAbortSignal, type Readable, Writable } from 'node:stream';
import { Failure } from '../failure.ts';

/** Standard input: a terminal or a pipe. */
export interface Input {
  readonly isTerminal: boolean;
  /** The whole input as text, with a byte order mark that it may have. `trim` removes it. */
  readText(): Promise<string>;
  /** One line, after a prompt; undefined at the end of the input. A secret is not shown while it is typed. */
  readLine(prompt: string, look?: { isSecret?: boolean }): Promise<string | undefined>;
}

// The relay accepts no larger call.
const maxBytes = 1_048_576;

export function createInput(
  stream: Readable & { isTTY?: boolean },
  prompts: NodeJS.WritableStream,
  signal: AbortSignal,
): Input {
  return {
    isTerminal: stream.isTTY === true,
    async readText() {
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of addAbortSignal(signal, stream)) {
        chunks.push(Buffer.from(chunk));
        size += chunk.length;
        if (size > maxBytes)
          throw new Failure('usage', 'The text from the pipe is over 1 MiB. Send less of it.');
      }
      return decode(Buffer.concat(chunks));
    },
    async readLine(prompt, { isSecret = false } = {}) {
      // With `terminal`, readline itself writes what is typed.
      const lines = createInterface(
        isSecret
          ? {
              input: stream,
              output: new Writable({ write: (_text, _encoding, done) => done() }),
              terminal: true,
            }
          : { input: stream, output: prompts },
      );
      if (isSecret) prompts.write(prompt);
      try {
        const ended = new Promise<undefined>((resolve, reject) => {
          // readline handles Ctrl-C itself, so that no signal comes.
          lines.once('SIGINT', () => {
            prompts.write('\n');
            reject(new Failure('interrupted', ''));
          });
          lines.once('close', () => resolve(undefined));
        });
        const line = await Promise.race([lines.question(prompt, { signal }), ended]);
        if (line === undefined || isSecret) prompts.write('\n');
        return line;
      } finally {
        lines.close();
      }
    },
  };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure('usage', 'What came is not text in UTF-8. Convert it first, for example with iconv.');
  }
}
