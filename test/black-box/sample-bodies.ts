import { encryptedContent, keyExchange, submission } from './samples.ts';

export type CallerKind = 'consumer' | 'provider' | 'session' | 'anonymous';

/** A body that is accepted from this kind of caller. `:requestId` stands for the id of a request. */
export type SampleBody = (caller: CallerKind) => Readonly<Record<string, unknown>>;

const topics = () => ({ topics: ['/svc/requests/:requestId'] });
const closing = () => ({ reason: 'The lock file is gone.' });
/** Later than all that the agent has sent. */
const seen = () => ({ seenUntil: '2999-01-01T00:00:00.000Z' });
const vault = () => ({ vault: { wrapped: 'q83vEjRWeJA=' } });
const webhook = () => ({ url: 'http://127.0.0.1:9/hook' });
const webhookChange = () => ({ enabled: true });
const rotation = () => ({ graceSeconds: 0 });

/** For each operation with a body, by its `operationId`. A submit needs an API key besides. */
export const sampleBodies: Readonly<Record<string, SampleBody>> = {
  submitHelp: submission,
  exchangeKeys: keyExchange,
  sendMessage: (role) => ({ role, plaintext: 'Run the additive one first.' }),
  closeRequest: closing,
  createStreamToken: topics,
  putVault: vault,
  createWebhook: webhook,
  changeWebhook: webhookChange,
  rotateWebhook: rotation,
  sessionExchangeKeys: keyExchange,
  sessionSendMessage: encryptedContent,
  sessionCloseRequest: closing,
  sessionSnoozeRequest: seen,
  sessionSettleRequest: seen,
  sessionCreateStreamToken: topics,
  sessionPutVault: vault,
  putSavedReplies: () => ({ savedReplies: { iv: 'bBex7AYRZKmJI2gu', ciphertext: 'q83vEjRWeJA=' } }),
  sessionCreateWebhook: webhook,
  sessionChangeWebhook: webhookChange,
  sessionRotateWebhook: rotation,
  createKey: () => ({ name: 'laptop agent', kind: 'consumer' }),
  renameKey: () => ({ name: 'build agent' }),
  rotateKey: rotation,
  changeNotifications: () => ({ pausedUntil: null }),
  createChannel: () => ({ kind: 'chat', url: 'http://127.0.0.1:9/chat' }),
  changeChannel: () => ({ delaySeconds: 60 }),
  confirmChannel: () => ({ token: 'x' }),
};
