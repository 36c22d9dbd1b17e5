import { joinTexts } from '../storage/drafts.ts';
import { loadCode } from '../ui/lazy-page.tsx';
import { writtenText } from './answer-content.ts';
import type { PendingAnswer } from './conversation-state.ts';
import { formOf } from './open-form.ts';
import type { FollowedConversation } from './use-conversation.ts';
import type { Drafts } from './use-drafts.ts';

interface GivenBack {
  readonly answer: PendingAnswer;
  readonly conversation: FollowedConversation;
  readonly drafts: Drafts;
  /** Removes it from what is sent. Returns false if the agent has it already. */
  readonly remove: () => Promise<boolean>;
}

/**
 * Gives an answer that is not sent back to the expert. What it says is stored as a draft before it is removed, and taken back if the
 * agent has it already: then it returns false.
 */
export async function giveBack({ answer, conversation, drafts, remove }: GivenBack): Promise<boolean> {
  const { files } = conversation;
  const before = [drafts.text.text.get(), drafts.form.text.get(), files.get()] as const;
  const text = writtenText(answer, conversation.now.request?.encrypted === true);
  if (answer.answer) {
    const { keepDecision } = await loadCode(() => import('../forms/keep-decision.ts'));
    await keepDecision({ ...answer, text }, formOf(conversation.now, answer.answer.of), drafts.form);
  } else {
    drafts.text.write(joinTexts(text, before[0]));
    await drafts.text.save();
  }
  files.set([...(answer.files ?? []), ...before[2]]);
  await files.saved();
  if (await remove()) return true;
  drafts.text.write(before[0]);
  drafts.form.write(before[1]);
  files.set(before[2]);
  return false;
}
