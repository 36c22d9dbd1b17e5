import type { DevUser } from '../../../scripts/local/secrets.ts';
import type { HttpResponse } from '../../black-box/http-call.ts';
import { encryptedContent, keyExchange } from '../../black-box/samples.ts';
import type { Client } from './client.ts';
import type { CallOutcome, Conversation, Ledger } from './ledger.ts';
import type { Script, Step } from './script.ts';
import type { Timeline } from './timeline.ts';

type Role = 'consumer' | 'provider';

/** Runs one script, and records the responses in the ledger. */
export async function converse(
  script: Script,
  options: {
    client: Client;
    user: DevUser;
    ledger: Ledger;
    timeline: Timeline;
    onSubmitted: (conversation: Conversation) => void;
  },
): Promise<void> {
  const { client, user, ledger, timeline, onSubmitted } = options;
  const keys = { consumer: user.consumerKey, provider: user.providerKey };

  function post(
    path: string,
    json: object,
    headers: Record<string, string>,
  ): Promise<HttpResponse | undefined> {
    return client.call({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(json),
    });
  }

  async function submit(): Promise<Conversation | undefined> {
    const { question, idempotencyKey } = script;
    const body = { apiKey: user.consumerKey, messages: [], question, plaintext: question };
    const response = await post('/api/v1/help', body, { 'idempotency-key': idempotencyKey });
    if (response?.status === 201) {
      const { requestId, refCode, expiresAt } = response.json;
      return { requestId, refCode, expiresAt: Date.parse(expiresAt), messages: [] };
    }
    if (response) ledger.unexpected.push(`a submit got ${response.status} ${response.text}`);
    else ledger.unknownSubmits++;
    return undefined;
  }

  /** The outcome of a write to a conversation that may have ended. */
  function outcomeOf(
    what: string,
    conversation: Conversation,
    response: HttpResponse | undefined,
  ): CallOutcome {
    if (!response) return 'unknown';
    if (response.status === 200 || response.status === 201) return 'acknowledged';
    const { error } = response.json;
    const early = error === 'conversation_expired' && Date.now() < conversation.expiresAt;
    const wasNeverClosed = error === 'conversation_closed' && script.closeAt === undefined;
    const isExpected = response.status === 409 && /^conversation_(expired|closed)$/.test(error);
    if (!isExpected || early || wasNeverClosed)
      ledger.unexpected.push(`${what} got ${response.status} ${error}${early ? ' too early' : ''}`);
    return 'refused';
  }

  async function runStep(step: Step, role: Role, conversation: Conversation): Promise<void> {
    const { requestId } = conversation;
    const headers = { 'x-api-key': keys[role] };
    if (step.does === 'exchange keys') {
      const response = await post(`/api/v1/key-exchange/${requestId}`, keyExchange(), headers);
      conversation.exchange = outcomeOf('a key exchange', conversation, response);
      return;
    }
    const { messageId, length, isEncrypted } = step;
    const content = isEncrypted ? encryptedContent() : { plaintext: 'x'.repeat(length) };
    const body = { role, messageId, ...content };
    const response = await post(`/api/v1/message/${requestId}`, body, headers);
    conversation.messages.push({ messageId, body, outcome: outcomeOf('a message', conversation, response) });
  }

  async function runSteps(steps: readonly Step[], role: Role, conversation: Conversation): Promise<void> {
    for (const step of steps) {
      await timeline.waitUntil(step.at);
      await runStep(step, role, conversation);
    }
  }

  async function close(conversation: Conversation): Promise<void> {
    if (script.closeAt === undefined) return;
    await timeline.waitUntil(script.closeAt);
    const path = `/api/v1/close/${conversation.requestId}`;
    const response = await post(path, {}, { 'x-api-key': user.consumerKey });
    conversation.close = outcomeOf('a close', conversation, response);
  }

  await timeline.waitUntil(script.submitAt);
  const conversation = await submit();
  if (!conversation) return;
  ledger.conversations.push(conversation);
  onSubmitted(conversation);
  await Promise.all([
    runSteps(script.consumer, 'consumer', conversation),
    runSteps(script.provider, 'provider', conversation),
    close(conversation),
  ]);
}
