import { createClient } from '../client.ts';
import { checkOptions } from '../client-options.ts';
import { withEnvironment } from '../config.ts';
import { makeAgentKeys } from '../crypto/agent-keys.ts';
import { toBase64 } from '../crypto/base64.ts';
import { refusal } from '../crypto/refusal.ts';
import { digestSubmission } from '../crypto/submission.ts';
import { toForm } from '../forms/to-form.ts';
import { invalidInput, notAsExported, RelayError } from '../relay-error.ts';
import { digestOf, partOf } from '../store.ts';
import type { TopicBeginning } from '../transport/hub-stream.ts';
import { listRequests, requestState } from '../transport/requests.ts';
import { members } from '../transport/shape.ts';
import { approve, choose } from './approve.ts';
import type { Asker } from './closable-question.ts';
import type { Conversation } from './conversation.ts';
import { type ConversationState, checkState } from './conversation-state.ts';
import { KnownExperts } from './known-experts.ts';
import { checkSame, deriveName, explainReuse, storedId } from './once.ts';
import { type Begun, openConversation } from './open-conversation.ts';
import { ownerOf } from './owner.ts';
import { readFingerprints } from './read-fingerprints.ts';
import { createReadScheduler, type FollowedConversation } from './read-scheduler.ts';
import type { Relay, RelayOptions } from './relay.ts';
import { createStoredConversations } from './stored-conversations.ts';
import { type AskInternals, makeSubmission, submit } from './submission.ts';

/**
 * Connects an agent to the relay. It makes no calls and opens no connection before the first question.
 *
 * @example
 * // With RELAY_URL, RELAY_API_KEY and RELAY_EXPERT in the environment, or with `url`, `apiKey` and `expert`.
 * const relay = createRelay();
 * const conversation = await relay.ask({ question: 'May I remove the lock file?' });
 * const { text } = await conversation.waitForAnswer({ timeoutMs: 600_000 });
 */
export function createRelay(given: RelayOptions = {}): Relay {
  const options = withEnvironment(given);
  const { apiKey, acceptUnprotected = false, acceptNewExpert = false, agentName, store } = options;
  const fingerprints = readFingerprints(options.expert);
  if (agentName !== undefined && !isName(agentName)) throw invalidInput(nameLimits);
  const followed = new Set<FollowedConversation>();
  let isStopped = false;
  const scheduler = createReadScheduler(() => client.api, followed);
  // Many agents share one address and its calls.
  const timing = { recheckMs: 600_000, ...options.timing };
  const client = createClient({ ...options, timing }, ownOptions, 'agent', scheduler.onEvent);
  const { api, hub, keyValues } = client;
  const here = partOf(client.store, () => digestOf(new URL(api.url).origin));
  const stored = createStoredConversations(store, here);
  const owning = ownerOf({ url: api.url, apiKey });

  const experts = new KnownExperts({
    given: fingerprints,
    acceptsNew: acceptNewExpert,
    here,
    keyValues,
  });

  /** Follows a conversation as long as its caller waits: until the returned function is called. */
  function follow(one: FollowedConversation, beginning: TopicBeginning | undefined): () => void {
    if (isStopped) {
      one.follower.stop(stopped());
      return () => {};
    }
    followed.add(one);
    const unfollow = hub.follow(one.topic, () => scheduler.check(one), beginning);
    if (!beginning) scheduler.check(one);
    return () => {
      unfollow();
      followed.delete(one);
    };
  }

  const shared = { client, experts, acceptUnprotected, owning, save: stored.save, follow };

  /** Submits the question, or makes sure that it was submitted. */
  async function submitAndOpen<C>(
    state: ConversationState,
    signal: AbortSignal | undefined,
    begun?: Begun,
  ): Promise<Conversation<C>> {
    const { id, once, keys, submission } = state;
    if (!submission) throw notAsExported();
    const { request, position } = await submit(api, apiKey, submission, signal, begun?.internals).catch(
      (error: unknown) => {
        throw once ? explainReuse(error, once.name) : error;
      },
    );
    const { requestId, refCode } = request;
    // People read an answer by its code: with the code of another question it would look like the answer to that.
    const asked = once ? `${submission.idempotencyKey} ${once.digest}` : keys ? id : requestId;
    if ((await here.remember(`code:${refCode}`, asked)) !== asked) throw codeTaken(refCode);
    // The code is part of what the expert signs.
    const submissionDigest = toBase64(await digestSubmission({ ...submission, refCode }));
    const answerForm = submission.answerForm ?? undefined;
    const opening = { ...state, submission: undefined, submissionDigest, answerForm };
    const beginning = begun?.beginning && { ...begun.beginning, start: position };
    const conversation = await openConversation<C>(
      shared,
      opening,
      request,
      begun && { ...begun, beginning },
      signal,
    );
    await conversation.save();
    return conversation;
  }

  async function resume<C>(
    state: ConversationState,
    signal: AbortSignal | undefined,
    begun?: Begun,
  ): Promise<Conversation<C>> {
    checkState(state);
    return state.request
      ? await openConversation(shared, state, state.request, begun, signal)
      : await submitAndOpen(state, signal, begun);
  }

  /** The stored conversation of a name: of this API key, or of another one that had it before it was rotated. */
  async function findNamed(name: string, signal: AbortSignal | undefined) {
    const found = await stored.find(await storedId(await owning, name));
    if (found || !store) return found;
    for (const id of await stored.idsOf(name)) {
      const state = await stored.find(id);
      if (!state?.request) continue;
      const path = `/api/v1/messages/${state.request.requestId}?limit=1`;
      const isReadable = await api
        .get(path, () => true, signal)
        .catch((error: unknown) => {
          if (RelayError.is(error, 'not_found')) return false;
          throw error;
        });
      if (isReadable) return state;
    }
    return undefined;
  }

  const relay: Relay & Asker = {
    async ask(question, internals: AskInternals = {}) {
      checkOptions(question, questionOptions);
      const { signal, encrypted = true, form, once } = question;
      if (!encrypted && fingerprints !== undefined && !acceptUnprotected) throw plainToKnown();
      const owner = await owning;
      const name = once === undefined ? undefined : await deriveName(once, encrypted, options, owner);
      const id = name?.id ?? crypto.randomUUID();
      const keys = name ? name.keys : encrypted ? await makeAgentKeys() : undefined;
      const answerForm = form && JSON.stringify(toForm(form));
      const { body, first } = await makeSubmission(
        { ...question, answerForm },
        { keys, id: name?.idempotencyKey ?? id, agentName },
      );
      const messageId = name?.questionId ?? crypto.randomUUID();
      const unsent = { drafts: first ? [{ messageId, ...first, shown: [] }] : [], outgoing: undefined };
      const named = await name?.describe(body, unsent);
      const before = named && (await findNamed(named.name, signal));
      if (before) {
        checkSame(before, named);
        await internals.onId?.(before.id, false);
        // Until it was locked, another process may have changed it.
        return await resume((await stored.find(before.id)) ?? before, signal, { schema: form });
      }
      const state: ConversationState = {
        version: 2,
        id,
        once: named,
        owner,
        submission: body,
        isConfidential: question.confidential === true || undefined,
        keys: keys?.export(),
        // An answer has seen these keys. Those of a name may be older: another process may have asked with them.
        thread:
          keys && !named ? { seq: 0, channel: undefined, messages: [], sealedAt: Date.now() } : undefined,
        sender: unsent,
      };
      await internals.onId?.(id, true);
      await stored.save(state);
      if (named) await stored.noteName(named.name, id);
      // A question with a name may have been asked before, and may have answers.
      const beginning = name ? undefined : { since: hub.position() };
      return await submitAndOpen(state, signal, { keys, beginning, schema: form, internals });
    },
    approve: (...asked) => approve(relay, ...asked),
    choose: (...asked) => choose(relay, ...asked),
    async resume(conversation, options = {}) {
      const { signal } = checkOptions(options, 'signal');
      const state = typeof conversation === 'string' ? await stored.find(conversation) : conversation;
      if (state === undefined)
        throw new RelayError('not_found', 'The store has no conversation with this id.');
      return await resume(state, signal);
    },
    conversations: stored.list,
    forget: stored.forget,
    findNamed: async (name, options = {}) => await findNamed(name, checkOptions(options, 'signal').signal),
    whoami: async (options = {}) => await client.whoami(checkOptions(options, 'signal').signal),
    async requests(listing = {}) {
      return await listRequests(api, checkOptions(listing, 'status limit signal'));
    },
    findByRef: async (refCode, options = {}) =>
      await api.get(
        `/api/v1/requests/by-ref/${encodeURIComponent(refCode)}`,
        (answer) => requestState(members(answer)),
        checkOptions(options, 'signal').signal,
      ),
    stop() {
      isStopped = true;
      scheduler.stop();
      for (const { follower } of [...followed]) follower.stop(stopped());
      hub.stop();
    },
  };
  return relay;
}

const questionOptions =
  'question messages form files confidential expiresInMs tags encrypted plaintext once signal';

const ownOptions = 'apiKey expert acceptNewExpert acceptUnprotected agentName secret';

/** As the relay reads it. */
const isName = (name: string): boolean => name.length >= 1 && name.length <= 100;
const nameLimits = 'An `agentName` has 1 to 100 characters.';

const plainToKnown = () =>
  invalidInput('Plain text proves nothing: ask encrypted, leave out `expert`, or set `acceptUnprotected`.');

const codeTaken = (refCode: string) =>
  refusal('question_altered', `The relay gave this question the reference code of another one, ${refCode}.`);

const stopped = () =>
  new RelayError('aborted', 'The client was stopped. The conversation stays open: resume it.');
