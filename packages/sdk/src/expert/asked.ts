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

const isContextMessage = (value: unknown): value is ContextMessage =>
  isObject(value) && typeof value.role === 'string' && typeof value.content === 'string';
