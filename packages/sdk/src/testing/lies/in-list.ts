import { randomBytes } from 'node:crypto';
import type { Call, Json, Lie } from '@expert-relay/testkit';

export const isList = ({ path }: Call): boolean => path.startsWith('/api/v1/messages/');

/** A lie about the list of messages, or about the request that stands above it. */
export const inList = (alter: (messages: Json[], answer: Json) => unknown): Lie => ({
  answer(answer, call) {
    if (isList(call) && Array.isArray(answer.messages)) alter(answer.messages as Json[], answer);
    return answer;
  },
});

/** Says yes once. */
export const isFirst = (): (() => boolean) => {
  let count = 0;
  return () => count++ === 0;
};

/** Something else in place of the list of messages, each time it is asked for or only the first. */
export function insteadOfList(times: 'always' | 'once', write: (answer: Json) => string): Lie {
  const first = isFirst();
  return {
    answer: (answer, call) => (isList(call) && (times === 'always' || first()) ? write(answer) : answer),
  };
}

/** What a proxy may say in its own name. */
export const nonsense = (): string => '<html>Welcome!</html>';

export const cutOff = (answer: Json): string => JSON.stringify(answer).slice(0, -20);

/** A lie about the second message of one side alone, however often it is shown. */
export function aboutSecondOf(
  side: 'consumer' | 'provider',
  alter: (message: Json, messages: Json[]) => unknown,
): Lie {
  const ids: unknown[] = [];
  return inList((messages) => {
    for (const message of [...messages].filter(({ role }) => role === side)) {
      if (!ids.includes(message.messageId)) ids.push(message.messageId);
      if (ids.indexOf(message.messageId) === 1) alter(message, messages);
    }
  });
}

/** As retention leaves it. */
export function erase(messages: Json[], answer: Json): void {
  messages.length = 0;
  for (const member of ['question', 'plaintext']) answer[member] = null;
  for (const side of ['consumer', 'provider']) {
    for (const kind of ['Sign', 'Encrypt']) answer[`${side}${kind}PubKey`] = null;
  }
  delete answer.keySignature;
  Object.assign(answer, { context: [], erasedAt: '2026-01-01T00:00:00.000Z' });
}

/** A lie about the expert's second answer. */
export const aboutSecond = (alter: (message: Json, messages: Json[]) => unknown): Lie =>
  aboutSecondOf('provider', alter);

/** The encrypted part of a message as the relay lists it. */
export const blobOf = (message: Json): Json => message.encrypted as Json;

/** The same but for one bit. */
export const flip = (base64: unknown): string => {
  const bytes = Buffer.from(String(base64), 'base64');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString('base64');
};

export const noise = (length: number): string => randomBytes(length).toString('base64');
