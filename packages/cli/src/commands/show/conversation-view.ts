import type { ContextMessage, Protection, RequestStatus } from '@expert-relay/sdk';
import type { Context } from '../../context.ts';
import type { Failure } from '../../failure.ts';
import { hasEnded } from '../../relay/request-state.ts';
import { protectionWords, writtenBefore } from '../../terminal/protection-words.ts';

export interface ShownMessage {
  readonly role: 'consumer' | 'provider';
  readonly createdAt: string;
  readonly protection: Protection | 'unreadable';
  /** Absent when it cannot be read here. */
  readonly text?: string;
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
  readonly question: string;
  readonly context: readonly ContextMessage[];
  readonly messages: readonly ShownMessage[];
  /** Texts that were not sent. */
  readonly unsent: readonly string[];
  readonly fingerprint?: string | undefined;
  readonly verification?: string | undefined;
  /** The error of the first refused message. No later message is shown. */
  readonly refused?: Failure | undefined;
}

/** Prints it, with the protection of each message. */
export function showConversation({ out }: Context, view: ConversationView, me: ShownMessage['role']): void {
  const { refCode, status, createdAt, expiresAt, question, context, messages, unsent } = view;
  const end = hasEnded(status) ? '' : `, open until ${shortTime(expiresAt)}`;
  out.line(`${out.paint('bold', refCode)}  ${status}${end}`);
  if (view.fingerprint) out.line(out.paint('dim', `Expert ${view.fingerprint} (${view.verification})`));
  if (me === 'provider') showAgent(out, view);
  if (view.erasedAt) out.paragraph(describeErased(view.erasedAt), { style: 'dim' });
  const heading = (who: string, at: string, how: string) => {
    out.line();
    out.line(`${out.paint('cyan', who)}  ${out.paint('dim', `${shortTime(at)}  ${how}`)}`);
  };
  for (const { role, content } of context) {
    heading(`before: ${out.shown(role)}`, createdAt, protectionWords.plaintext);
    out.foreign(content, { indent: '  ' });
  }
  if (question !== '') {
    heading('question', createdAt, protectionWords.plaintext);
    out.foreign(question, { indent: '  ' });
  }
  for (const { role, createdAt: at, protection, text, seenYourLast } of messages) {
    const who = role === me ? 'you' : { consumer: 'agent', provider: 'expert' }[role];
    heading(who, at, protection === 'unreadable' ? 'encrypted' : protectionWords[protection]);
    if (seenYourLast === false) out.paragraph(writtenBefore, { indent: '  ', style: 'yellow' });
    if (text === undefined)
      out.paragraph('Its keys are not on this machine.', { indent: '  ', style: 'yellow' });
    else out.foreign(text, { indent: '  ' });
  }
  for (const text of unsent) {
    out.line();
    out.line(out.paint('yellow', 'you  NOT SENT YET'));
    out.foreign(text, { indent: '  ' });
  }
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

/** The retention is 30 days after the end, unless the relay has another setting. */
const describeErased = (at: string): string =>
  `The relay erased the messages on ${shortTime(at)}. It does so 30 days after the end, or as its operator has set. The messages that this machine has stored are shown.`;

/** `2026-11-21 07:04`, in the time zone of the terminal. */
export function shortTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return 'at an unknown time';
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
