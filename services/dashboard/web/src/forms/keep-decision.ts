import { defaultsOf } from '@expert-relay/sdk/forms';
import type { AnswerContent } from '../conversation/answer-content.ts';
import { createDraft, type DraftOptions } from '../drafts/drafts.ts';
import { readDecision, readForm } from './read-form.ts';
import { type FormDraft, formDraftName } from './use-form-draft.ts';
import { valuesOf } from './values.ts';

interface KeepOptions extends Pick<DraftOptions, 'requestId' | 'storage' | 'tabs'> {
  /** Without encryption, the text says the decision in words. */
  readonly isPlain: boolean;
}

/** Stores a decision that was not sent as what is filled in, so that the expert can decide again. */
export async function keepDecision(
  { text, answerText = '', answerOf: of = '' }: AnswerContent,
  formText: string | undefined,
  { isPlain, requestId, storage, tabs }: KeepOptions,
): Promise<void> {
  const decision = readDecision(answerText);
  if (!decision) return;
  const form = formText === undefined ? undefined : readForm(formText);
  const values = form
    ? valuesOf(form, decision.action === 'accept' ? decision.content : defaultsOf(form))
    : {};
  const draft = createDraft({ requestId: formDraftName(requestId), storage, tabs, isTyping: () => false });
  draft.write(
    JSON.stringify({ of, values, comment: (isPlain ? decision.comment : text) ?? '' } satisfies FormDraft),
  );
  await draft.save();
  draft.stop();
}
