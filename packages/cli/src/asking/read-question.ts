import { readFileSync, statSync } from 'node:fs';
import type { ContextMessage } from '@expert-relay/sdk';
import type { Form } from '@expert-relay/sdk/forms';
import { parseJson } from '@expert-relay/sdk/internal';
import { readPipe, readTextArgument } from '../arguments/read-text-argument.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { approvalForm, choiceForm, readForm } from '../forms/read-form.ts';
import { fence } from './fence.ts';
import type { FormSource } from './read-plan.ts';
import { toContext } from './to-context.ts';

// A call cannot contain more.
const most = 1_048_576;

/** The context of the question: a conversation as JSON, as the known libraries have it, or any text, to the character. */
export async function readContext(context: Context, source: string | undefined): Promise<ContextMessage[]> {
  if (source === undefined) return [];
  const path = source === '-' ? undefined : source;
  const text = path === undefined ? await readPipe(context) : readTextFile(path);
  return toContext(parseJson(withoutMark(text))) ?? [{ role: 'user', content: fence(text, path) }];
}

/** The form that goes with the question. */
export async function readQuestionForm(
  context: Context,
  source: FormSource | undefined,
): Promise<Form | undefined> {
  if (source === undefined) return undefined;
  if (source === 'approval') return approvalForm;
  if ('form' in source) return source.form;
  if ('choices' in source) return choiceForm(source.choices);
  const { file } = source;
  return file === '-'
    ? readForm('The text from the pipe', await readTextArgument(context, file))
    : readForm(file, withoutMark(readTextFile(file)));
}

/** JSON has no mark of its byte order. */
const withoutMark = (json: string) => json.replace(/^\ufeff/, '');

function readTextFile(path: string): string {
  try {
    if (statSync(path).size > most)
      throw new Failure('usage', `${path} is over 1 MiB. Give the part that matters.`);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT')
      throw new Failure('usage', `There is no file ${path}. Check its name, or use - for stdin.`);
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new Failure('usage', `${path} is not text in UTF-8. Convert it, or name another file.`);
    if (code === undefined || error instanceof Failure) throw error;
    throw new Failure('usage', `${path} cannot be read (${code}). Name a file of text, or use - for stdin.`);
  }
}
