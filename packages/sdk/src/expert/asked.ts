import { toBase64 } from '../crypto/bytes/base64.ts';
import { questionAltered } from '../crypto/exchange/check-exchange.ts';
import { digestSubmission } from '../crypto/index.ts';
import type { ContextMessage } from '../request-state.ts';
import { isObject, type Members, optionalText } from '../transport/shape.ts';

/** What an agent asked in clear. */
export interface Asked {
  readonly question: string;
  readonly context: readonly ContextMessage[];
  readonly plaintext: string | undefined;
}

export const readAsked = (members: Members): Asked => ({
  question: optionalText(members, 'question') ?? '',
  context: Array.isArray(members.context) ? members.context.filter(isContextMessage) : [],
  plaintext: optionalText(members, 'plaintext'),
});

/** What stands in a key exchange for what is shown here. */
export async function digestAsked({ context, ...asked }: Asked): Promise<string> {
  const digest = await digestSubmission({ ...asked, messages: context }).catch(() => undefined);
  // Half a character: no agent can have asked that.
  if (!digest) throw questionAltered();
  return toBase64(digest);
}

const isContextMessage = (value: unknown): value is ContextMessage =>
  isObject(value) && typeof value.role === 'string' && typeof value.content === 'string';
