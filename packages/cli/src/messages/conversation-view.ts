import type { ContextMessage, Party, Protection, RequestStatus } from '@expert-relay/sdk';
import type { CountedDecision, DecisionState, ExpertRequest, RequestForm } from '@expert-relay/sdk/expert';
import { type Form, isApproval } from '@expert-relay/sdk/forms';
import { hasEnded } from '@expert-relay/sdk/internal';
import type { Context } from '../context.ts';
import type { Failure } from '../failure.ts';
import { prefilledOf } from '../forms/read-content.ts';
import { showForm } from '../forms/show-form.ts';
import { describeClosing } from '../terminal/closing-words.ts';
import { protectionWords, writtenBefore } from '../terminal/protection-words.ts';
import { decisionWord, type ShownFile, type ShownParts, showParts } from './message-parts.ts';

export interface ShownMessage extends ShownParts {
  readonly from: Party;
  readonly createdAt: string;
  readonly protection: Protection;
  /** It may be empty where there is a form, a decision or a file. */
  readonly text: string;
  readonly messageId?: string | undefined;
  /** Whether its sender had seen the last text of this side before; undefined when that is unknown. */
  readonly seenYourLast?: boolean | undefined;
}

/** A conversation as the agent or the expert can see it. */
export interface ConversationView {
  readonly refCode: string;
  readonly requestId: string;
  readonly status: RequestStatus;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** When the relay erased the messages. */
  readonly erasedAt?: string | undefined;
  /** The name of the agent's key, as the relay states it. */
  readonly agent?: string | undefined;
  /** The name that the agent gave itself. It is signed with the question. */
  readonly agentName?: string | undefined;
  /** Words for sorting, and how the conversation was closed, as the relay states it. */
  readonly tags?: readonly string[] | undefined;
  readonly closedBy?: Party | undefined;
  readonly closeReason?: string | undefined;
  readonly question: string;
  /** For experts: what the agent gave as plain text, where that is another text. */
  readonly plaintext?: string | undefined;
  readonly context: readonly ContextMessage[];
  /** The form that came with the question. */
  readonly answerForm?: Form | undefined;
  /** For agents: the files that came with the question. */
  readonly files?: readonly ShownFile[] | undefined;
  /** For experts: the form that can be answered, and what was decided about it. */
  readonly form?: RequestForm | undefined;
  readonly decision?: DecisionState | undefined;
  readonly decisions?: readonly CountedDecision[] | undefined;
  readonly messages: readonly ShownMessage[];
  /** For experts: what the agent has announced, and has not sent yet. */
  readonly follows?: ExpertRequest['missingParts'];
  /** Texts that were not sent. */
  readonly unsent: readonly string[];
  readonly fingerprint?: string | undefined;
  readonly verification?: string | undefined;
  /** The error of the first refused message. No later message is shown. */
  readonly refused?: Failure | undefined;
}

/** Prints it, with the protection of each message. */
export function showConversation({ out }: Context, view: ConversationView, me: Party): void {
  const { refCode, status, createdAt, expiresAt, question, context, answerForm, messages, unsent } = view;
  const end = hasEnded({ status }) ? '' : `, open until ${shortTime(expiresAt)}`;
  out.line(`${out.paint('bold', refCode)}  ${status}${end}`);
  if (view.fingerprint) out.line(out.paint('dim', `Expert ${view.fingerprint} (${view.verification})`));
  if (me === 'expert') showAgent(out, view);
  showTags(out, view.tags);
  const closing = describeClosing(view, me);
  if (closing !== '') out.paragraph(closing, { style: 'dim' });
  if (view.erasedAt) out.paragraph(describeErased(view.erasedAt, messages), { style: 'dim' });
  const heading = (who: string, at: string, how: string) => {
    out.line();
    out.line(`${out.paint('cyan', who)}  ${out.paint('dim', `${shortTime(at)}  ${how}`)}`);
  };
  for (const { role, content } of context) {
    heading(`before: ${out.shown(role)}`, createdAt, protectionWords.plaintext);
    out.foreign(content, { indent: '  ' });
  }
  if (question !== '' || answerForm) {
    heading('question', createdAt, protectionWords.plaintext);
    if (question !== '') out.foreign(question, { indent: '  ' });
    if (view.plaintext !== undefined) {
      heading('question, as plain text', createdAt, protectionWords.plaintext);
      out.foreign(view.plaintext, { indent: '  ' });
    }
    if (answerForm) showForm(out, answerForm);
    showParts(out, { files: view.files });
  }
  for (const message of messages) {
    const { from, createdAt: at, protection, text, seenYourLast } = message;
    const who = from === me ? 'you' : from;
    heading(who, at, protectionWords[protection]);
    if (seenYourLast === false) out.paragraph(writtenBefore, { indent: '  ', style: 'yellow' });
    if (text !== '') out.foreign(text, { indent: '  ' });
    showParts(out, message);
  }
  if (view.follows && !hasEnded(view)) {
    out.line();
    out.paragraph(`Still to come from the agent: ${describeFollows(view.follows)}.`, { style: 'yellow' });
  }
  if (view.form && !hasEnded(view)) showDecision(out, view);
  for (const text of unsent) {
    out.line();
    out.line(out.paint('yellow', 'you  NOT SENT YET'));
    out.foreign(text, { indent: '  ' });
  }
}

const describeFollows = ({ files, question }: NonNullable<ConversationView['follows']>): string =>
  [question && 'its question', files > 0 && `${files} ${files === 1 ? 'file' : 'files'}`]
    .filter(Boolean)
    .join(' and ');

/** What the expert can do about the open form. A line of this program: no text of the agent begins a line like it. */
function showDecision(
  out: Context['out'],
  { refCode, form: open, decision = 'open', decisions = [] }: ConversationView,
): void {
  const form = open?.form;
  const next = [
    form && prefilledOf(form) && `relay answer ${refCode} --approve`,
    form && !isApproval(form) && `relay answer ${refCode}`,
    `relay answer ${refCode} --decline`,
  ];
  out.line();
  const described = decisions.length > 1 ? describeDecisions(decisions, form) : decisionWords[decision];
  out.line(`${out.paint('cyan', 'decision')}  ${described}`);
  if (decision === 'conflict') out.paragraph(decisionWords.conflict, { indent: '  ' });
  if (decision !== 'accepted' && decision !== 'declined')
    for (const each of next) if (each) out.line(out.paint('cyan', out.typed(`  ${each}`)));
}

const decisionWords: Readonly<Record<DecisionState, string>> = {
  open: 'The agent waits for it.',
  reopened: 'The agent wrote at the same time, so your decision does not count. Decide again.',
  accepted: 'You have accepted.',
  declined: 'You have declined.',
  conflict:
    'An agent that has not acted yet gets an error, since they contradict each other. Declining ends that.',
};

/** Several decisions that count. Only the agent knows which one its program was given. */
function describeDecisions(decisions: readonly CountedDecision[], form: Form | undefined): string {
  const each = decisions.map(({ action, decidedAt }, at) => {
    const isOther = action === 'accept' && decisions[at - 1]?.action === 'accept';
    return `${decisionWord(action, form)}${isOther ? ' with other values' : ''} ${shortTime(decidedAt)}`;
  });
  const said = each.join(', then ');
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}; the agent may have acted on the first.`;
}

/** The name that the agent gave itself, which is signed, and the name of its key, which the relay states. */
export function showAgent(
  out: Context['out'],
  { agent, agentName }: Pick<ConversationView, 'agent' | 'agentName'>,
  indent = '',
): void {
  const names = [agentName && `Agent ${out.shown(agentName)}`, agent && `key: ${out.shown(agent)}`];
  const line = names.filter(Boolean).join('  ');
  if (line !== '') out.line(indent + out.paint('dim', line));
}

export function showTags(out: Context['out'], tags: readonly string[] = [], indent = ''): void {
  if (tags.length > 0)
    out.line(indent + out.paint('dim', `Tags: ${tags.map((tag) => out.shown(tag)).join(', ')}`));
}

/** The retention is 30 days after the end, unless the relay has another setting. */
const describeErased = (at: string, { length }: readonly unknown[]): string =>
  `The relay erased the messages on ${shortTime(at)}. It does so 30 days after the end, or as its operator has set.${
    length > 0 ? ' The messages that this machine has stored are shown.' : ''
  }`;

/** `2026-11-21 07:04`, in the time zone of the terminal. */
export function shortTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return 'at an unknown time';
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
