import { alterList, eraseContent, isList } from '../alter-list.ts';
import type { AgentRow } from './agent-row.ts';

/** Lies about the keys of both sides. */
export const aboutKeys: readonly AgentRow[] = [
  { name: 'changes nothing', lie: () => ({}), verification: 'first-contact' },
  {
    name: 'changes nothing, for an agent that knows the expert',
    known: true,
    lie: () => ({}),
    verification: 'known',
  },

  {
    name: "replaces the expert's keys, unsigned, for an agent that knows the expert",
    known: true,
    lie: ({ attackerKeys }) =>
      alterList((_, answer) => {
        if (!answer.providerSignPubKey) return;
        answer.providerSignPubKey = attackerKeys.sign;
        answer.providerEncryptPubKey = attackerKeys.encrypt;
        delete answer.keySignature;
      }),
    code: 'unknown_expert',
  },
  {
    name: "replaces the expert's encryption key",
    lie: ({ attackerKeys }) =>
      alterList((_, answer) => {
        if (answer.providerEncryptPubKey) answer.providerEncryptPubKey = attackerKeys.encrypt;
      }),
    code: 'key_signature_wrong',
  },
  {
    name: "removes the expert's signature, for an agent that knows the expert",
    known: true,
    lie: () => alterList((_, answer) => delete answer.keySignature),
    code: 'key_signature_missing',
  },
  {
    name: "removes the expert's signature, for an agent that knows no expert",
    lie: () => alterList((_, answer) => delete answer.keySignature),
    code: 'key_signature_missing',
  },
  {
    name: "replaces the agent's key for the expert only",
    lie: ({ attackerKeys }) => {
      let own: unknown;
      return {
        call({ path, body }) {
          if (path !== '/api/v1/help') return;
          own = body.consumerEncryptPubKey;
          body.consumerEncryptPubKey = attackerKeys.encrypt;
        },
        answer(answer, call) {
          if (isList(call)) answer.consumerEncryptPubKey = own;
          return answer;
        },
      };
    },
    code: 'key_signature_wrong',
  },
  {
    name: "replaces the agent's key for both sides",
    lie: ({ attackerKeys }) => ({
      call({ path, body }) {
        if (path === '/api/v1/help') body.consumerSignPubKey = attackerKeys.sign;
      },
    }),
    code: 'keys_changed',
  },
  {
    name: "returns the agent's keys as the expert's",
    lie: () =>
      alterList((_, answer) => {
        if (!answer.providerSignPubKey) return;
        answer.providerSignPubKey = answer.consumerSignPubKey;
        answer.providerEncryptPubKey = answer.consumerEncryptPubKey;
      }),
    code: 'invalid_public_key',
  },
  {
    name: 'returns invalid keys',
    lie: () =>
      alterList((_, answer) => {
        if (answer.providerSignPubKey) answer.providerSignPubKey = 'none';
      }),
    code: 'invalid_public_key',
  },
  {
    name: 'returns other keys from the second answer on',
    lie: ({ attackerKeys }) =>
      alterList((messages, answer) => {
        if (messages.length === 0) return;
        if (Number(messages[0]?.seq) > 3) answer.providerEncryptPubKey = attackerKeys.encrypt;
      }),
    code: 'keys_changed',
    after: 1,
  },
  {
    name: 'returns an answer in plain text without a key exchange, for an agent that knows the expert',
    known: true,
    lie: () => {
      const message = {
        messageId: crypto.randomUUID(),
        seq: 2,
        role: 'provider',
        plaintext: 'Yes, go ahead.',
      };
      return alterList((messages, answer) => {
        for (const member of ['providerSignPubKey', 'providerEncryptPubKey', 'keySignature'])
          delete answer[member];
        messages.splice(0, messages.length, { ...message, createdAt: new Date().toISOString() });
      });
    },
    code: 'plaintext_refused',
  },
  {
    name: 'states that the content was erased while the conversation is open',
    lie: () =>
      alterList((messages, answer) => Number(messages[0]?.seq) > 3 && eraseContent(messages, answer)),
    code: 'keys_changed',
    after: 1,
  },
  {
    name: 'states that the content was erased and the conversation is closed',
    lie: () =>
      alterList((messages, answer) => {
        if (Number(messages[0]?.seq) > 3) eraseContent(messages, Object.assign(answer, { status: 'closed' }));
      }),
    code: 'conversation_closed',
    after: 1,
  },
  {
    name: 'returns no keys from the second answer on',
    lie: () =>
      alterList((messages, answer) => {
        if (!(Number(messages[0]?.seq) > 3)) return;
        answer.providerSignPubKey = null;
        answer.providerEncryptPubKey = null;
      }),
    code: 'keys_changed',
    after: 1,
  },
];
