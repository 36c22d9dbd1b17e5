import type { ChannelState, Role } from '../crypto/index.ts';
import { decide, type GivenAnswer, type Standing } from '../forms/decide.ts';
import type { ReadMessage } from './message.ts';
import type { Read } from './shown.ts';
import type { OpenForm, Side } from './side.ts';

/** A message with an answer to a form. */
export interface GivenMessage
  extends Pick<ReadMessage, 'messageId' | 'link' | 'protection'>,
    Pick<GivenAnswer, 'json' | 'isUncertain'> {}

/** What a conversation has of its open form. */
export interface AnsweredForm {
  readonly form: OpenForm;
  readonly side: Side;
  /** The answers to this form, in the order of the list. */
  readonly answers: readonly GivenMessage[];
  readonly read: Read;
}

/** What the answers to a form amount to, on either side. */
export function standingOf(
  { form, side, answers, read }: AnsweredForm,
  isRefused?: (messageId: string) => boolean,
): Standing {
  const given = answers.map(
    ({ messageId, link: hash, protection, json, isUncertain }): GivenAnswer => ({
      ...{ messageId, json, isUncertain },
      isProven: side.agentSentKeys ? protection === 'sequenced' && side.isSigned : protection === 'plaintext',
      // Plain text does not say what it had seen.
      isCrossed: hash !== undefined && isCrossed(read, hash, side.role),
    }),
  );
  return decide(form.text, given, isRefused);
}

/**
 * Whether the agent has written something at the same time as the message of the expert with this hash: neither had seen the other.
 * Links name messages that come earlier in the history.
 */
export function isCrossed(
  { state, others }: Pick<Read, 'state' | 'others'>,
  hash: string,
  reader: Role,
): boolean {
  const seen = state?.seen ?? [];
  const at = seen.findIndex(([one]) => one === hash);
  const after = new Set([at]);
  for (let later = at + 1; later < seen.length; later += 1) {
    if (linksOf(seen[later]).some((one) => after.has(one))) after.add(later);
  }
  const before = new Set([at]);
  for (let earlier = at; earlier >= 0; earlier -= 1) {
    if (before.has(earlier)) for (const one of linksOf(seen[earlier])) before.add(one);
  }
  const theirs = new Set(others.values());
  const isAgents = (one: string) => theirs.has(one) === (reader === 'provider');
  return seen.some(([one], position) => isAgents(one) && !after.has(position) && !before.has(position));
}

const linksOf = ([, , ...links]: ChannelState['seen'][number] | readonly [] = []): readonly number[] => links;
