import { type Form, parseForm } from '@expert-relay/sdk/forms';
import { decidedForm, type Entry, type Messages } from '../store/conversations.ts';
import type { ShownFile, ShownParts } from './message-parts.ts';

/** What a stored message carries besides its text. `stored` has the form that it decides about. */
export function storedParts(entry: Entry, stored?: Messages): ShownParts {
  const { form, decision, isUncounted, files, hasUnknownPart } = entry;
  return {
    form: readStored(form),
    answer: decision,
    answeredForm: decision && stored && readStored(decidedForm(stored, entry)),
    isUncounted,
    hasUnknownPart,
    files: files?.map(readFile),
  };
}

/** A form of this side was valid when it was sent. */
const readStored = (json: string | undefined): Form | undefined => (json ? parseForm(json) : undefined);

const readFile = ({ base64, ...file }: NonNullable<Entry['files']>[number]): ShownFile => ({
  ...file,
  bytes: base64 === undefined ? undefined : Buffer.from(base64, 'base64'),
});
