import type { Json } from '@expert-relay/testkit';
import { erase, inList } from '../in-list.ts';
import type { ExpertRow, ExpertScene } from './expert-row.ts';

const withoutPickUp = (answer: Json): void => {
  answer.providerSignPubKey = null;
  answer.providerEncryptPubKey = null;
  delete answer.keySignature;
};
const withFreshKeys = ({ foreign }: ExpertScene, answer: Json): void => {
  answer.consumerSignPubKey = foreign.sign;
  answer.consumerEncryptPubKey = foreign.encrypt;
};
const withoutKeys = (answer: Json): void => {
  answer.consumerSignPubKey = null;
  answer.consumerEncryptPubKey = null;
};

/** Lies that only an expert notices who remembers what an earlier process saw. */
export const aboutMemory: readonly ExpertRow[] = [
  { name: 'lies about nothing, to one who has looked before', before: 'look', lie: () => ({}) },
  { name: 'lies about nothing, to one who has picked up before', before: 'pick up', lie: () => ({}) },
  {
    name: "shows fresh keys of the agent's to one who has looked before",
    before: 'look',
    lie: (scene) => inList((_, answer) => withFreshKeys(scene, answer)),
    code: 'keys_changed',
  },
  {
    name: "shows fresh keys of the agent's, and no pick-up, to one who has picked up before",
    before: 'pick up',
    lie: (scene) =>
      inList((_, answer) => {
        withFreshKeys(scene, answer);
        withoutPickUp(answer);
      }),
    code: 'keys_changed',
  },
  {
    name: 'shows no keys to one who has looked before',
    before: 'look',
    lie: () => inList((_, answer) => withoutKeys(answer)),
    code: 'keys_changed',
  },
  {
    name: 'shows no keys, no pick-up and no messages to one who has talked before',
    before: 'talk',
    lie: () =>
      inList((messages, answer) => {
        withoutKeys(answer);
        withoutPickUp(answer);
        messages.length = 0;
      }),
    code: 'keys_changed',
  },
  {
    name: 'forgets the pick-up',
    before: 'pick up',
    lie: () => inList((_, answer) => withoutPickUp(answer)),
    code: 'keys_changed',
  },
  {
    name: 'shows an empty history and no pick-up to one who has talked before',
    before: 'talk',
    lie: () =>
      inList((messages, answer) => {
        withoutPickUp(answer);
        messages.length = 0;
      }),
    code: 'keys_changed',
  },
  {
    name: 'shows an empty history to one who has talked before',
    before: 'talk',
    lie: () =>
      inList((messages) => {
        messages.length = 0;
      }),
    code: 'keys_changed',
  },
  {
    name: 'shows an empty history to one who has answered before, and has read nothing since',
    before: 'answer',
    lie: () =>
      inList((messages) => {
        messages.length = 0;
      }),
    code: 'keys_changed',
  },
  {
    name: 'does not show the last answer to one who has read nothing since',
    before: 'answer',
    lie: () => inList((messages) => messages.splice(1)),
    code: 'message_missing',
  },
  {
    name: 'shows the beginning of the history alone to one who has talked before',
    before: 'talk',
    lie: () => inList((messages) => messages.splice(1)),
    code: 'message_missing',
  },
  {
    name: 'shows another question to one who has looked before',
    before: 'look',
    lie: () => inList((_, answer) => Object.assign(answer, { question: 'Shall I pay?' })),
    code: 'question_altered',
  },
  {
    name: 'shows another question after another device has picked up',
    lie: () => {
      let isPickedUp = false;
      return inList((_, answer) => {
        isPickedUp ||= Boolean(answer.providerSignPubKey);
        if (isPickedUp) answer.question = 'Shall I pay?';
      });
    },
    code: 'question_altered',
  },
  {
    name: 'says that everything was erased although the conversation is open',
    before: 'look',
    lie: () => inList(erase),
    code: 'keys_changed',
  },
  {
    name: 'says that everything was erased, and that it is closed',
    before: 'look',
    lie: () => inList((messages, answer) => erase(messages, Object.assign(answer, { status: 'closed' }))),
    code: 'conversation_closed',
  },
];
