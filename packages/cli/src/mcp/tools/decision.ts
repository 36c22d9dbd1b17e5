import type { Conversation } from '@expert-relay/sdk';
import { describeContent, isApproval, parseForm } from '@expert-relay/sdk/forms';
import type { DecisionEntry, StoredDecision } from '../../store/conversations.ts';
import { describeAge } from '../../terminal/describe-duration.ts';
import { describeTrust } from '../../terminal/protection-words.ts';
import { describeFiles } from './files.ts';
import { quoteExpert, unknownPart } from './sentences.ts';

/** A decision without when it was made. */
export const toChoice = ({ action, content }: StoredDecision) => ({ action, ...(content && { content }) });

/** What the open form means for everything that is no decision about it. */
export const undecided =
  'The expert has not decided about your form, which is neither a yes nor a no. Do not act as if it were approved.';

/** A decision, for programs and for models. `form` is what it is about, as JSON text. */
export function describeDecision(
  { decision, text, files, createdAt, protection, hasUnknownPart }: DecisionEntry,
  { form, conversation, now }: { form: string; conversation: Conversation; now: number },
) {
  const { action, content = {}, decidedAt } = decision;
  const asked = parseForm(form);
  const isAccepted = action === 'accept';
  const values = describeContent(asked, content).map(({ label, value }) => `${label}: ${value}`);
  const lines = [
    ...values,
    ...(values.length > 0 ? [`As JSON: ${JSON.stringify(content)}`] : []),
    ...(text ? [`Comment: ${text}`] : []),
    ...describeFiles(files),
  ];
  // A model has no clock.
  const age = describeAge(decidedAt, now);
  const verb = isAccepted ? (isApproval(asked) ? 'approved' : 'filled in your form of') : 'DECLINED';
  return {
    text: [
      `The expert has ${verb} ${conversation.refCode}. Decided at ${decidedAt}${age && ` (${age}, by the clock of the expert's device)`}, received at ${createdAt}. ${describeTrust(protection, conversation)}`,
      isAccepted
        ? undefined
        : 'Declined means no: do not do what you asked about, and do not ask the same again to get a yes.',
      hasUnknownPart ? unknownPart : undefined,
      lines.length > 0 ? quoteExpert(lines.join('\n')) : undefined,
    ],
    data: toChoice(decision),
    next: isAccepted
      ? 'Go on with exactly what was asked and decided, and nothing beyond it. Call close when you need nothing more from the expert.'
      : 'Do not do it. Tell your user that the expert has declined, with the comment if there is one. Call reply to ask what would be acceptable, or close.',
  };
}
