import { type AgentKeys, makeAgentKeys } from '../crypto/agent-keys.ts';
import { fromBase64, toBase64 } from '../crypto/base64.ts';
import { onceId, onceKeys } from '../crypto/once-keys.ts';
import { refusal } from '../crypto/refusal.ts';
import { toForm } from '../forms/to-form.ts';
import { invalidInput, RelayError } from '../relay-error.ts';
import { digestOf, type Store } from '../store.ts';
import type { AgentOutbox, Draft } from '../thread/outbox.ts';
import type { SenderState } from '../thread/sending.ts';
import type { Side } from '../thread/side.ts';
import type { Api } from '../transport/api.ts';
import { members } from '../transport/shape.ts';
import type { ConversationState, Named } from './conversation-state.ts';
import type { FormOrSchema, Question } from './question.ts';
import type { RelayOptions } from './relay.ts';
import { makeSubmission, type SubmissionBody } from './submission.ts';

/** What belongs to the name of a question. */
export interface Name {
  /** Of the conversation as it is stored: under the name, the relay's origin and the API key. */
  readonly id: string;
  readonly idempotencyKey: string;
  readonly keys: AgentKeys | undefined;
  /** The `messageId` of the question's first message. */
  readonly questionId: string | undefined;
  /** Names this question in its state: another question of the same name differs. */
  describe(body: SubmissionBody, sender: SenderState): Promise<Named>;
}

/** @throws RelayError `once_reused` when the stored question of this name is another one */
export function checkSame(state: ConversationState, { name, digest }: Named): void {
  if (state.once?.digest !== digest) throw onceReused(name);
}

/**
 * Four things make it safe that several processes ask under one name: the idempotency key is made of the name, so the relay takes one
 * question; the keys are derived from the secret and the name, so each process reads the answers; the id of a confidential question's
 * message is derived, too, so the relay takes one message; and what was asked is compared, so another question is `once_reused`.
 *
 * @throws RelayError `invalid_input` when an encrypted question has no secret
 */
export async function deriveName(
  name: string,
  isEncrypted: boolean,
  { secret, store }: Pick<RelayOptions, 'secret' | 'store'>,
  owner: string,
): Promise<Name> {
  const idempotencyKey = await onceId(name);
  const derived = isEncrypted ? await onceKeys(await readSecret(secret, store), name) : undefined;
  const { keys, questionId } = derived ?? {};
  return {
    id: await storedId(owner, name),
    idempotencyKey,
    keys,
    questionId,
    describe: async (body, { drafts }) => ({
      name,
      questionId,
      digest: await digestOfQuestion(body, drafts),
    }),
  };
}

/** Where the conversation of a name is stored: another user's key may use the same name on this machine. */
export const storedId = async (owner: string, name: string): Promise<string> =>
  await onceId(await digestOf(JSON.stringify([owner, name])));

/**
 * The digest of all that is asked: the question with its context, form, files, lifetime and tags. The state of a question with a name has
 * it as `once.digest`, so that a program can compare a stored question with one that is to be asked under the same name.
 */
export async function digestAsked(asked: Question<FormOrSchema>): Promise<string> {
  const { form, encrypted = true } = asked;
  const answerForm = form && JSON.stringify(toForm(form));
  const keys = encrypted ? await makeAgentKeys() : undefined;
  const agent = { keys, id: '', agentName: undefined };
  const { body, first } = await makeSubmission({ ...asked, answerForm }, agent);
  return await digestOfQuestion(body, first ? [first] : []);
}

async function digestOfQuestion(
  { question, messages, plaintext, answerForm, expiresIn, tags }: SubmissionBody,
  firsts: readonly Pick<Draft, 'text' | 'parts'>[],
): Promise<string> {
  const context = messages?.map(({ role, content }) => [role, content]);
  const first = firsts.map(({ text, parts }) => [text, parts]);
  const all = JSON.stringify([question, context, plaintext, answerForm, first, expiresIn, tags]);
  return await digestOf(all);
}

async function readSecret(secret: RelayOptions['secret'], store: Store | undefined): Promise<Uint8Array> {
  const given =
    secret ?? (await store?.remember('secret', toBase64(crypto.getRandomValues(new Uint8Array(32)))));
  if (given === undefined) {
    throw invalidInput(
      'An encrypted question has a name (`once`) only with a `store`, or with a `secret`: 32 random bytes, as `openssl rand -base64 32` writes them.',
    );
  }
  const bytes = typeof given === 'string' ? fromText(given.trim()) : given;
  if (bytes?.length === 32) return bytes;
  throw invalidInput(
    secret === undefined
      ? 'The stored value `secret` was changed: put it back.'
      : 'A `secret` has 32 random bytes, as `openssl rand -base64 32` writes them.',
  );
}

/** In base64, or in hexadecimal. */
const fromText = (text: string): Uint8Array | undefined =>
  /^[0-9a-f]{64}$/i.test(text)
    ? Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
    : fromBase64(text);

/** The relay has another question of this name, or one that was asked with another secret. */
export const explainReuse = (error: unknown, name: string): unknown =>
  RelayError.is(error, 'idempotency_key_reused') ? onceReused(name, error) : error;

const reuse =
  'was used for another question, context, form, lifetime or tags, or with another secret or `agentName`. Nothing was asked. A name stands for one question of one run: use another one, or ask the same again.';

const onceReused = (name: string, cause?: unknown) =>
  new RelayError('once_reused', `The name ${JSON.stringify(name)} ${reuse}`, { cause });

/** Makes sure that each message of a question is sent once, though several processes may send it. */
export interface Guard {
  /** Checks the first message: another process may have asked something else under this name. */
  readonly check: Side['check'];
  readonly outbox: AgentOutbox;
}

interface Guarded {
  readonly api: Api;
  readonly requestId: string;
  /** What processes with this store share. */
  readonly shared: AgentOutbox;
}

/** Undefined for a question without a name, and in plain text, where the relay recognizes a repetition. */
export function guardQuestion(
  { once, sender }: ConversationState,
  { api, requestId, shared }: Guarded,
): Guard | undefined {
  if (!once?.questionId) return undefined;
  const question = sender?.drafts.find(({ messageId }) => messageId === once.questionId);
  const contentOf = ({ text, parts = [] }: Pick<Draft, 'text' | 'parts'>) => JSON.stringify([text, parts]);
  return {
    check(message) {
      if (message.messageId !== question?.messageId || contentOf(message) === contentOf(question)) return;
      throw refusal(
        'once_reused',
        `The name ${JSON.stringify(once.name)} was used for another question.`,
        'Use another name.',
      );
    },
    outbox: {
      ...shared,
      kind: 'named question',
      async claim(messageId, sealed, signal) {
        const first = await shared.claim(messageId, sealed);
        if (!first) return null;
        try {
          await api.post(`/api/v1/message/${requestId}`, { role: 'consumer', ...first }, members, signal);
          return first;
        } catch (error) {
          // Another process has sent it. The list shows whether it is the same question.
          if (RelayError.is(error, 'message_id_taken')) return null;
          throw error;
        }
      },
    },
  };
}
