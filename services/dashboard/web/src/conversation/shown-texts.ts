import type { Storage } from '../storage/storage.ts';
import type { Store } from '../ui/store.ts';
import type { ConversationState, RequestView } from './conversation-state.ts';

/** The names of the ends of the question, of the same as plain text, and of each message before it, beside the ids of messages. */
export const questionEnd = 'question';
export const plaintextEnd = 'plaintext';
export const contextEnd = (index: number): string => `context:${index}`;

/** What the agent gave as plain text, where that is not its question. The expert signs both. */
export const plaintextOf = ({
  question,
  plaintext,
}: Pick<RequestView, 'question' | 'plaintext'>): string | undefined =>
  plaintext && plaintext !== question ? plaintext : undefined;

type State = Pick<ConversationState, 'request' | 'messages' | 'shown' | 'inView'>;

/**
 * The texts whose ends the expert must have been shown before answering, and was not. Agent's messages before an answer of
 * this expert were read on another device, or held that answer back. `last`: one more end, behind the messages.
 */
export function unreadOf(
  { request, messages, shown }: Omit<State, 'inView'>,
  last?: string,
): readonly string[] {
  if (!request) return [];
  const news = messages.slice(afterLastAnswer(messages)).map(({ messageId }) => messageId);
  const ends = [
    questionEnd,
    ...(plaintextOf(request) === undefined ? [] : [plaintextEnd]),
    ...request.context.map((_, index) => contextEnd(index)),
    ...news,
    ...(last ? [last] : []),
  ];
  return ends.filter((end) => !shown.has(end));
}

/** The first of them that is out of view: the expert must scroll to it. */
export const awayOf = (state: State, last?: string): string | undefined =>
  unreadOf(state, last).find((end) => !state.inView.has(end));

/** The messages that the expert has been shown, for the links of an answer that is written now. */
export function shownMessages({ request, messages, shown }: Omit<State, 'inView'>): readonly string[] {
  // Plain text has no links: everything before an own answer counts.
  const answered = request?.encrypted ? 0 : afterLastAnswer(messages);
  return messages.flatMap(({ messageId }, at) => (at < answered || shown.has(messageId) ? messageId : []));
}

const afterLastAnswer = (messages: State['messages']): number =>
  messages.findLastIndex(({ from }) => from === 'expert') + 1;

/** Keeps `shown` of the state: what this browser has shown, also in other tabs and before a reload. `inView` is of this page. */
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
    markInView(name: string, isInView: boolean): void {
      const { inView, ...others } = state.get();
      if (inView.has(name) === isInView) return;
      const now = new Set(inView);
      if (isInView) now.add(name);
      else now.delete(name);
      state.set({ ...others, inView: now });
    },
    markShown(name: string): void {
      if (state.get().shown.has(name)) return;
      add([name]);
      // A text that cannot be stored as shown has to be shown again after a reload.
      void store().catch(() => {});
    },
  };
}
