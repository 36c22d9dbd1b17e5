import { randomBytes } from 'node:crypto';
import type { Call, Json, Lie } from '../lying-relay.ts';

export const isList = ({ path }: Call): boolean => path.startsWith('/api/v1/messages/');

/** A lie about the list of messages, or about the request that is returned with it. */
export const alterList = (alter: (messages: Json[], answer: Json) => unknown): Lie => ({
  answer(answer, call) {
    if (isList(call) && Array.isArray(answer.messages)) alter(answer.messages as Json[], answer);
    return answer;
  },
});

/** A function that returns true only the first time. */
export const trueOnce = (): (() => boolean) => {
  let count = 0;
  return () => count++ === 0;
};

/** Replaces the list of messages, each time it is read or only the first. */
export function replaceList(times: 'always' | 'once', write: (answer: Json) => string): Lie {
  const first = trueOnce();
  return {
    answer: (answer, call) => (isList(call) && (times === 'always' || first()) ? write(answer) : answer),
  };
}

/** An answer of a proxy that did not reach the relay. */
export const htmlAnswer = (): string => '<html>Welcome!</html>';

export const truncated = (answer: Json): string => JSON.stringify(answer).slice(0, -20);

/** Alters only the second message of one side, each time it is listed. */
export function alterSecondOf(
  side: 'consumer' | 'provider',
  alter: (message: Json, messages: Json[]) => unknown,
): Lie {
  const ids: unknown[] = [];
  return alterList((messages) => {
    for (const message of [...messages].filter(({ role }) => role === side)) {
      if (!ids.includes(message.messageId)) ids.push(message.messageId);
      if (ids.indexOf(message.messageId) === 1) alter(message, messages);
    }
  });
}

/** Erases the content as the relay does after the retention. */
export function eraseContent(messages: Json[], answer: Json): void {
  messages.length = 0;
  for (const member of ['question', 'plaintext']) answer[member] = null;
  for (const side of ['consumer', 'provider']) {
    for (const kind of ['Sign', 'Encrypt']) answer[`${side}${kind}PubKey`] = null;
  }
  delete answer.keySignature;
  Object.assign(answer, { context: [], erasedAt: '2026-01-01T00:00:00.000Z' });
}

/** The encrypted part of a message as the relay lists it. */
export const blobOf = (message: Json): Json => message.encrypted as Json;

/** The same bytes with one bit changed. */
export const flipBit = (base64: unknown): string => {
  const bytes = Buffer.from(String(base64), 'base64');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString('base64');
};

export const randomBase64 = (length: number): string => randomBytes(length).toString('base64');

/**
 * Fails every second call of each path. With one count for all calls, two loops could take turns, so that the calls of one of
 * them always fail.
 */
export function failEverySecondCall(): Lie {
  const counts = new Map<string, number>();
  return {
    instead({ method, path }) {
      const name = `${method} ${path.replace(/\?.*/, '')}`;
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      return count % 2 === 0 ? { status: 502, body: 'bad gateway' } : undefined;
    },
  };
}
