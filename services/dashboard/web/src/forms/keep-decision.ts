import type { Deciding } from '@expert-relay/sdk/expert';
import type { Form } from '@expert-relay/sdk/forms';
import { defaultsOf } from '@expert-relay/sdk/internal';
import type { Draft } from '../storage/drafts.ts';
import { type FormDraft, listFormDrafts } from './form-draft.ts';
import { valuesOf } from './values.ts';

interface Kept {
  /** The comment. */
  readonly text: string;
  readonly answer?: (Deciding & { readonly of: string }) | undefined;
}

/**
 * Stores a decision that was not sent as what is filled in, so that the expert can decide again. What was filled in for
 * other forms stays.
 */
export async function keepDecision(
  { text: comment, answer }: Kept,
  form: Form | undefined,
  draft: Draft,
): Promise<void> {
  if (!answer) return;
  const values = form ? valuesOf(form, answer.action === 'accept' ? answer.content : defaultsOf(form)) : {};
  const earlier = listFormDrafts(draft.text.get()).filter(({ of }) => of !== answer.of);
  draft.write(JSON.stringify({ of: answer.of, values, comment, earlier } satisfies FormDraft));
  await draft.save();
}
