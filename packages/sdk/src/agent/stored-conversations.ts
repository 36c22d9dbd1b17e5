import { onceId } from '../crypto/once-keys.ts';
import { invalidInput, RelayError } from '../relay-error.ts';
import { hasEnded } from '../request-state.ts';
import { conversationPrefix, listIn, type Store, type Values } from '../store.ts';
import { parseJson } from '../transport/shape.ts';
import { type ConversationState, checkVersion, isState } from './conversation-state.ts';

/** The conversations that a store keeps, each as the JSON of its state. Without a store there are none. */
export function createStoredConversations(store: Store | undefined, here: Values) {
  async function find(id: string): Promise<ConversationState | undefined> {
    const text = await store?.get(nameOf(id));
    return text === undefined ? undefined : parseState(text, id);
  }

  /** One damaged value must not keep the other conversations. */
  const findIntact = (id: string) =>
    find(id).catch((error: unknown) => {
      if (RelayError.is(error, 'invalid_input')) return undefined;
      throw error;
    });

  const idsUnder = async (name: string) => listIn(here, `once:${await onceId(name)}`);

  return {
    find,
    save: async (state: ConversationState) => await store?.set(nameOf(state.id), JSON.stringify(state)),
    forget: async (id: string) => await store?.delete(nameOf(id)),
    /** Those that may go on, those that end first at the beginning. */
    async list(): Promise<readonly ConversationState[]> {
      const names = (await store?.names(conversationPrefix)) ?? [];
      const states: ConversationState[] = [];
      // One at a time: there may be more than files can be open.
      for (const name of names) {
        const state = await findIntact(name.slice(conversationPrefix.length));
        if (state && mayGoOn(state)) states.push(state);
      }
      return states.sort((one, other) => endOf(one).localeCompare(endOf(other)));
    },
    /** Under which ids the conversations of a named question are stored: one for each API key, so that a rotated key finds that of the one before. */
    idsOf: async (name: string) => await (await idsUnder(name)).all(),
    noteName: async (name: string, id: string) => await (await idsUnder(name)).add(id),
  };
}

const nameOf = (id: string): string => `${conversationPrefix}${id}`;

function parseState(text: string, id: string): ConversationState {
  const state = parseJson(text);
  checkVersion(state);
  if (isState(state)) return state;
  throw invalidInput(
    `The stored conversation ${id} is damaged: put it back from a backup, or remove it with \`forget\`.`,
  );
}

const mayGoOn = ({ request, thread }: ConversationState): boolean =>
  !request || !hasEnded(request) || (thread?.messages ?? []).length > 0;

/** Those that may not have reached the relay come last. */
const endOf = ({ request }: ConversationState): string => request?.expiresAt ?? '9';
