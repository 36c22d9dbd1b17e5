import type { Deciding, ExpertRequest } from '@expert-relay/sdk/expert';
import type { Form } from '@expert-relay/sdk/forms';
import { readTextArgument } from '../../arguments/read-text-argument.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { fillIn } from '../../forms/fill-in.ts';
import { contentOf } from '../../forms/read-content.ts';
import { showContent } from '../../forms/show-form.ts';
import type { AnswerPlan } from './read-plan.ts';

/** What is sent: a text, or a decision with its comment. */
export interface WrittenAnswer {
  readonly text: string;
  readonly decision: Deciding | undefined;
}

/**
 * Reads what the user has decided, from the options or at the terminal. It belongs to the form that is open now: if the agent
 * sends another one, nothing is sent.
 * @throws Failure
 */
export async function writeAnswer(
  context: Context,
  { refCode, form: open }: ExpertRequest,
  { kind, word, given, files }: AnswerPlan,
): Promise<WrittenAnswer> {
  const comment = async () => (word === undefined ? '' : await readTextArgument(context, word));
  if (kind === 'text') {
    if (open) context.err.paragraph(describeOpen(refCode), { style: 'yellow' });
    return { text: word === undefined && files.length > 0 ? '' : await comment(), decision: undefined };
  }
  if (!open)
    throw new Failure('usage', `The agent of ${refCode} has sent no form: relay answer ${refCode} "..."`);
  const { form, of } = open;
  if (kind === 'ask') {
    const { comment: text, ...decided } = await fillIn(context, form);
    return { text, decision: { ...decided, of } };
  }
  if (kind === 'decline') return { text: await comment(), decision: { action: 'decline', of } };
  if (!form)
    throw new Failure(
      'usage',
      `Not sent: this version cannot show the form. Decline it, or answer in words: relay answer ${refCode} --decline`,
    );
  const content = contentOf(form, refCode, given);
  return { text: await comment(), decision: { action: 'accept', content, of } };
}

/**
 * The agent may have sent another form while this one was filled in: then the decision cannot be sent, and what was filled in is
 * printed, so that it can be used again.
 * @throws Failure `unseen`
 */
export function requireSameForm(
  { err }: Context,
  { refCode, form: open }: ExpertRequest,
  { written: { text, decision }, form }: { written: WrittenAnswer; form: Form | undefined },
): void {
  if (!decision || decision.of === open?.of) return;
  err.line();
  err.paragraph('The agent has sent another form, which is shown above. Your answer to the one before:');
  if (decision.content) showContent(err, form, decision.content);
  if (text !== '') err.foreign(text, { indent: '  ' });
  throw new Failure('unseen', `Not sent. Answer the form that is open now: relay answer ${refCode}`, {
    code: 'newer_message',
    details: { refCode },
  });
}

const describeOpen = (refCode: string) =>
  `A text is no decision: the agent goes on waiting for one. Decide with --approve, --choose, --set or --decline: relay answer ${refCode}`;

/**
 * Reports a decision that was sent, and that the agent does not act on.
 * @throws Failure
 */
export function requireCounted({ refCode, decision }: Pick<ExpertRequest, 'refCode' | 'decision'>): void {
  if (decision === 'reopened')
    throw new Failure(
      'unseen',
      `It was sent and does not count: the agent had written something that you were not shown. Read it, then decide again: relay show ${refCode}`,
      { code: 'newer_message', details: { refCode } },
    );
  if (decision === 'conflict')
    throw new Failure(
      'invalid',
      `It was sent, but you had accepted this before with other values, so the agent gets an error. Declining ends that: relay answer ${refCode} --decline`,
      { code: 'answer_conflict', details: { refCode } },
    );
}
