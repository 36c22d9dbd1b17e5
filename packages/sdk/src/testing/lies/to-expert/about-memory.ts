import type { Json } from '@expert-relay/testkit';
import { alterList, eraseContent } from '../alter-list.ts';
import type { ExpertLieContext, ExpertRow } from './expert-row.ts';

const withoutPickUp = (answer: Json): void => {
  answer.providerSignPubKey = null;
  answer.providerEncryptPubKey = null;
  delete answer.keySignature;
};
const withNewKeys = ({ attackerKeys }: ExpertLieContext, answer: Json): void => {
  answer.consumerSignPubKey = attackerKeys.sign;
  answer.consumerEncryptPubKey = attackerKeys.encrypt;
};
const withoutKeys = (answer: Json): void => {
  answer.consumerSignPubKey = null;
  answer.consumerEncryptPubKey = null;
};

/** Lies that an expert notices only if the memory has what an earlier process read. */
export const aboutMemory: readonly ExpertRow[] = [
  { name: 'changes nothing, for an expert who has read the request before', before: 'read', lie: () => ({}) },
  { name: 'changes nothing, for an expert who has picked up before', before: 'pick up', lie: () => ({}) },
  {
    name: 'returns new keys of the agent, for an expert who has read the request before',
    before: 'read',
    lie: (context) => alterList((_, answer) => withNewKeys(context, answer)),
    code: 'keys_changed',
  },
  {
    name: 'returns new keys of the agent and no pick-up, for an expert who has picked up before',
    before: 'pick up',
    lie: (context) =>
      alterList((_, answer) => {
        withNewKeys(context, answer);
        withoutPickUp(answer);
      }),
    code: 'keys_changed',
  },
  {
    name: 'returns no keys, for an expert who has read the request before',
    before: 'read',
    lie: () => alterList((_, answer) => withoutKeys(answer)),
    code: 'keys_changed',
  },
  {
    name: 'returns no keys, no pick-up and no messages, for an expert who has answered and read before',
    before: 'answer and read',
    lie: () =>
      alterList((messages, answer) => {
        withoutKeys(answer);
        withoutPickUp(answer);
        messages.length = 0;
      }),
    code: 'keys_changed',
  },
  {
    name: 'loses the pick-up',
    before: 'pick up',
    lie: () => alterList((_, answer) => withoutPickUp(answer)),
    code: 'keys_changed',
  },
  {
    name: 'returns no messages and no pick-up, for an expert who has answered and read before',
    before: 'answer and read',
    lie: () =>
      alterList((messages, answer) => {
        withoutPickUp(answer);
        messages.length = 0;
      }),
    code: 'keys_changed',
  },
  {
    name: 'returns no messages, for an expert who has answered and read before',
    before: 'answer and read',
    lie: () =>
      alterList((messages) => {
        messages.length = 0;
      }),
    code: 'keys_changed',
  },
  {
    name: 'returns no messages, for an expert who has answered before, and has read nothing since',
    before: 'answer',
    lie: () =>
      alterList((messages) => {
        messages.length = 0;
      }),
    code: 'keys_changed',
  },
  {
    name: 'does not list the last answer, for an expert who has read nothing since',
    before: 'answer',
    lie: () => alterList((messages) => messages.splice(1)),
    code: 'message_missing',
  },
  {
    name: 'lists only the first message, for an expert who has answered and read before',
    before: 'answer and read',
    lie: () => alterList((messages) => messages.splice(1)),
    code: 'message_missing',
  },
  {
    name: 'returns another question, for an expert who has read the request before',
    before: 'read',
    lie: () => alterList((_, answer) => Object.assign(answer, { question: 'Shall I pay?' })),
    code: 'question_altered',
  },
  {
    name: 'returns another question after the pick-up by another device',
    lie: () => {
      let isPickedUp = false;
      return alterList((_, answer) => {
        isPickedUp ||= Boolean(answer.providerSignPubKey);
        if (isPickedUp) answer.question = 'Shall I pay?';
      });
    },
    code: 'question_altered',
  },
  {
    name: 'states that the content was erased while the conversation is open',
    before: 'read',
    lie: () => alterList(eraseContent),
    code: 'keys_changed',
  },
  {
    name: 'states that the content was erased and the conversation is closed',
    before: 'read',
    lie: () =>
      alterList((messages, answer) => eraseContent(messages, Object.assign(answer, { status: 'closed' }))),
    code: 'conversation_closed',
  },
];
