import type { Json } from '@expert-relay/testkit';
import { alterList, trueOnce } from '../alter-list.ts';
import type { ExpertLieContext, ExpertRow } from './expert-row.ts';

const replaceKeys = ({ attackerKeys }: ExpertLieContext, answer: Json): void => {
  answer.consumerSignPubKey = attackerKeys.sign;
  answer.consumerEncryptPubKey = attackerKeys.encrypt;
};
const removeKeys = (answer: Json): void => {
  delete answer.consumerSignPubKey;
  delete answer.consumerEncryptPubKey;
};
/** After the expert's first read. */
const afterFirst = (alter: (answer: Json) => void) => {
  const first = trueOnce();
  return alterList((_, answer) => {
    if (!first()) alter(answer);
  });
};
const afterPickUp = (alter: (answer: Json) => void) =>
  alterList((_, answer) => {
    if (answer.providerSignPubKey) alter(answer);
  });

/** Lies about the agent's keys. */
export const aboutKeys: readonly ExpertRow[] = [
  { name: 'changes nothing', lie: () => ({}) },
  { name: 'changes nothing, for an expert who uses the reference code', by: 'code', lie: () => ({}) },
  { name: 'changes nothing, for an expert who reads the list', by: 'list', lie: () => ({}) },
  {
    name: "replaces the agent's keys from the first read on",
    lie: (context) => alterList((_, answer) => replaceKeys(context, answer)),
    unnoticed: 'an agent has no identity',
    agent: 'key_signature_wrong',
    isForOthers: true,
  },
  {
    name: "replaces the agent's encryption key from the first read on",
    lie: ({ attackerKeys }) =>
      alterList((_, answer) => Object.assign(answer, { consumerEncryptPubKey: attackerKeys.encrypt })),
    unnoticed: 'an agent has no identity',
    agent: 'key_signature_wrong',
    isForOthers: true,
  },
  {
    name: "replaces the agent's keys between the first read and the pick-up",
    lie: (context) => afterFirst((answer) => replaceKeys(context, answer)),
    code: 'keys_changed',
  },
  {
    name: "replaces the agent's keys after the pick-up",
    lie: (context) => afterPickUp((answer) => replaceKeys(context, answer)),
    code: 'keys_changed',
  },
  {
    name: "replaces the agent's keys from its second message on",
    lie: (context) =>
      alterList((messages, answer) => {
        if (Number(messages[0]?.seq) > 3) replaceKeys(context, answer);
      }),
    code: 'keys_changed',
    after: 1,
  },
  {
    name: "removes the agent's keys from the first read on",
    lie: () => alterList((_, answer) => removeKeys(answer)),
    // It looks like a request without encryption, where an expert with a root must set `plaintext`.
    code: 'invalid_input',
  },
  {
    name: "removes the agent's keys between the first read and the pick-up",
    lie: () => afterFirst(removeKeys),
    code: 'keys_changed',
  },
  {
    name: "removes the agent's keys after the pick-up",
    lie: () => afterPickUp(removeKeys),
    code: 'keys_changed',
  },
  {
    name: "removes one of the agent's keys",
    lie: () => alterList((_, answer) => delete answer.consumerSignPubKey),
    code: 'unexpected_answer',
  },
  {
    name: "returns the expert's keys as the agent's",
    lie: ({ own }) =>
      alterList((_, answer) =>
        Object.assign(answer, { consumerSignPubKey: own.sign, consumerEncryptPubKey: own.encrypt }),
      ),
    code: 'invalid_public_key',
  },
  ...['none', '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEA\n-----END PUBLIC KEY-----\n', smallOrder()].map(
    (consumerEncryptPubKey, index) => ({
      name: `returns ${['no key', 'half a key', 'a key of small order'][index]} as the agent's`,
      lie: () => alterList((_, answer) => Object.assign(answer, { consumerEncryptPubKey })),
      code: 'invalid_public_key',
    }),
  ),
];

/** With this key, the shared secret is always zero. */
function smallOrder(): string {
  const der = Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), Buffer.alloc(32)]);
  return `-----BEGIN PUBLIC KEY-----\n${der.toString('base64')}\n-----END PUBLIC KEY-----\n`;
}
