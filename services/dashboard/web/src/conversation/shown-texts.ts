import { confidentialQuestion } from '@expert-relay/sdk';
import type { Storage } from '../storage/storage.ts';
import type { Store } from '../ui/store.ts';
import type { ConversationState, RequestView } from './conversation-state.ts';

/** The names of the ends of the question, of the same as plain text, and of each message before it, beside the ids of messages. */
export const questionEnd = 'question';
export const plaintextEnd = 'plaintext';
/** The encrypted question of a confidential request that its agent has not sent yet. */
export const awaitedQuestion = 'awaited-question';
export const contextEnd = (index: number): string => `context:${index}`;

/** What the agent gave as plain text, where that is not its question. The expert signs both. */
export const plaintextOf = ({
  question,
  plaintext,
}: Pick<RequestView, 'question' | 'plaintext'>): string | undefined =>
  plaintext && plaintext !== question ? plaintext : undefined;

type State = Pick<ConversationState, 'request' | 'messages' | 'shown'>;

/**
 * The first text whose end the expert must have been shown before answering. Agent's messages before an answer of this
 * expert were read on another device, or held that answer back.
 */
export function unreadOf({ request, messages, shown }: State, last?: string): string | undefined {
  if (!request) return undefined;
  const news = messages.slice(afterLastAnswer(messages)).map(({ messageId }) => messageId);
  const isAwaited =
    request.isPickedUp &&
    request.question === confidentialQuestion &&
    !messages.some(({ role }) => role === 'consumer');
  const ends = [
    ...(isAwaited ? [awaitedQuestion] : []),
    questionEnd,
    ...(plaintextOf(request) === undefined ? [] : [plaintextEnd]),
    ...request.context.map((_, index) => contextEnd(index)),
    ...news,
    ...(last ? [last] : []),
  ];
  return ends.find((end) => !shown.has(end));
}

/** The messages that the expert has been shown, for the links of an answer that is written now. */
export function shownMessages({ request, messages, shown }: State): readonly string[] {
  // Plain text has no links: everything before an own answer counts.
  const answered = request?.encrypted ? 0 : afterLastAnswer(messages);
  return messages.flatMap(({ messageId }, at) => (at < answered || shown.has(messageId) ? messageId : []));
}

const afterLastAnswer = (messages: State['messages']): number =>
  messages.findLastIndex(({ role }) => role === 'provider') + 1;

/** Keeps `shown` of the state: what this browser has shown, also in other tabs and before a reload. */
export function createShownTexts(options: {
  requestId: string;
  storage: Storage;
  state: Store<ConversationState>;
}) {
  const { requestId, storage, state } = options;
  const storedName = `shown-texts:${requestId}`;
  const parse = (json = '[]'): string[] => JSON.parse(json);
  const add = (names: readonly string[]) =>
    state.set({ ...state.get(), shown: new Set([...state.get().shown, ...names]) });

  /** Other tabs have shown other texts. */
  const store = () =>
    storage
      .change(storedName, (json) => JSON.stringify([...new Set([...parse(json), ...state.get().shown])]))
      .then((json) => add(parse(json)));

  return {
    restored: storage.get(storedName).then((json) => add(parse(json))),
    mark(name: string): void {
      if (state.get().shown.has(name)) return;
      add([name]);
      // A text that cannot be stored as shown has to be shown again after a reload.
      void store().catch(() => {});
    },
  };
}
