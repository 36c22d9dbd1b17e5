import { erase, inList, isList } from '../in-list.ts';
import type { AgentRow } from './agent-row.ts';

/** Lies about whose keys are whose. */
export const aboutKeys: readonly AgentRow[] = [
  { name: 'lies about nothing', lie: () => ({}), verification: 'first-contact' },
  {
    name: 'lies about nothing, to one who knows the expert',
    known: true,
    lie: () => ({}),
    verification: 'known',
  },

  {
    name: "swaps the expert's keys, unsigned, for one who knows the expert",
    known: true,
    lie: ({ foreign }) =>
      inList((_, answer) => {
        if (!answer.providerSignPubKey) return;
        answer.providerSignPubKey = foreign.sign;
        answer.providerEncryptPubKey = foreign.encrypt;
        delete answer.keySignature;
      }),
    code: 'unknown_expert',
  },
  {
    name: "swaps the expert's encryption key",
    lie: ({ foreign }) =>
      inList((_, answer) => {
        if (answer.providerEncryptPubKey) answer.providerEncryptPubKey = foreign.encrypt;
      }),
    code: 'key_signature_wrong',
  },
  {
    name: "takes the expert's signature away from one who knows the expert",
    known: true,
    lie: () => inList((_, answer) => delete answer.keySignature),
    code: 'key_signature_missing',
  },
  {
    name: "takes the expert's signature away from one who knows nobody",
    lie: () => inList((_, answer) => delete answer.keySignature),
    verification: 'unverified',
  },
  {
    name: "shows the expert another key of the agent's, and the agent its own",
    lie: ({ foreign }) => {
      let own: unknown;
      return {
        call({ path, body }) {
          if (path !== '/api/v1/help') return;
          own = body.consumerEncryptPubKey;
          body.consumerEncryptPubKey = foreign.encrypt;
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
    name: "swaps the agent's key, and shows it",
    lie: ({ foreign }) => ({
      call({ path, body }) {
        if (path === '/api/v1/help') body.consumerSignPubKey = foreign.sign;
      },
    }),
    code: 'keys_changed',
  },
  {
    name: "shows the agent's keys as the expert's",
    lie: () =>
      inList((_, answer) => {
        if (!answer.providerSignPubKey) return;
        answer.providerSignPubKey = answer.consumerSignPubKey;
        answer.providerEncryptPubKey = answer.consumerEncryptPubKey;
      }),
    code: 'invalid_public_key',
  },
  {
    name: 'shows keys that are none',
    lie: () =>
      inList((_, answer) => {
        if (answer.providerSignPubKey) answer.providerSignPubKey = 'none';
      }),
    code: 'invalid_public_key',
  },
  {
    name: 'shows other keys from the second answer on',
    lie: ({ foreign }) =>
      inList((messages, answer) => {
        if (messages.length === 0) return;
        if (Number(messages[0]?.seq) > 3) answer.providerEncryptPubKey = foreign.encrypt;
      }),
    code: 'keys_changed',
    after: 1,
  },
  {
    name: 'answers in plain text, without a key exchange, one who knows the expert',
    known: true,
    lie: () => {
      const message = {
        messageId: crypto.randomUUID(),
        seq: 2,
        role: 'provider',
        plaintext: 'Yes, go ahead.',
      };
      return inList((messages, answer) => {
        for (const member of ['providerSignPubKey', 'providerEncryptPubKey', 'keySignature'])
          delete answer[member];
        messages.splice(0, messages.length, { ...message, createdAt: new Date().toISOString() });
      });
    },
    code: 'plaintext_refused',
  },
  {
    name: 'says that everything was erased although the conversation is open',
    lie: () => inList((messages, answer) => Number(messages[0]?.seq) > 3 && erase(messages, answer)),
    code: 'keys_changed',
    after: 1,
  },
  {
    name: 'says that everything was erased, and that the conversation is closed',
    lie: () =>
      inList((messages, answer) => {
        if (Number(messages[0]?.seq) > 3) erase(messages, Object.assign(answer, { status: 'closed' }));
      }),
    code: 'conversation_closed',
    after: 1,
  },
  {
    name: 'shows no keys from the second answer on',
    lie: () =>
      inList((messages, answer) => {
        if (!(Number(messages[0]?.seq) > 3)) return;
        answer.providerSignPubKey = null;
        answer.providerEncryptPubKey = null;
      }),
    code: 'keys_changed',
    after: 1,
  },
];
