import type { Json } from '@expert-relay/testkit';
import { inList, isFirst } from '../in-list.ts';
import type { ExpertRow, ExpertScene } from './expert-row.ts';

const swapped = ({ foreign }: ExpertScene, answer: Json): void => {
  answer.consumerSignPubKey = foreign.sign;
  answer.consumerEncryptPubKey = foreign.encrypt;
};
const taken = (answer: Json): void => {
  delete answer.consumerSignPubKey;
  delete answer.consumerEncryptPubKey;
};
/** Only once the expert has looked. */
const afterFirst = (alter: (answer: Json) => void) => {
  const first = isFirst();
  return inList((_, answer) => {
    if (!first()) alter(answer);
  });
};
const afterPickUp = (alter: (answer: Json) => void) =>
  inList((_, answer) => {
    if (answer.providerSignPubKey) alter(answer);
  });

/** Lies about whose keys the agent's are. */
export const aboutKeys: readonly ExpertRow[] = [
  { name: 'lies about nothing', lie: () => ({}) },
  { name: 'lies about nothing, to one who asks by the reference code', by: 'code', lie: () => ({}) },
  { name: 'lies about nothing, to one who reads the list', by: 'list', lie: () => ({}) },
  {
    name: "swaps the agent's keys from the first look on",
    lie: (scene) => inList((_, answer) => swapped(scene, answer)),
    unnoticed: 'an agent has no identity',
    agent: 'key_signature_wrong',
    isForOthers: true,
  },
  {
    name: "swaps the agent's encryption key from the first look on",
    lie: ({ foreign }) =>
      inList((_, answer) => Object.assign(answer, { consumerEncryptPubKey: foreign.encrypt })),
    unnoticed: 'an agent has no identity',
    agent: 'key_signature_wrong',
    isForOthers: true,
  },
  {
    name: "swaps the agent's keys between first look and pick-up",
    lie: (scene) => afterFirst((answer) => swapped(scene, answer)),
    code: 'keys_changed',
  },
  {
    name: "swaps the agent's keys after the pick-up",
    lie: (scene) => afterPickUp((answer) => swapped(scene, answer)),
    code: 'keys_changed',
  },
  {
    name: "swaps the agent's keys from its second message on",
    lie: (scene) =>
      inList((messages, answer) => {
        if (Number(messages[0]?.seq) > 3) swapped(scene, answer);
      }),
    code: 'keys_changed',
    after: 1,
  },
  {
    name: "takes the agent's keys away from the first look on",
    lie: () => inList((_, answer) => taken(answer)),
    // It looks like a request without encryption, for which an expert with a root must say `plaintext`.
    code: 'invalid_input',
  },
  {
    name: "takes the agent's keys away between first look and pick-up",
    lie: () => afterFirst(taken),
    code: 'keys_changed',
  },
  {
    name: "takes the agent's keys away after the pick-up",
    lie: () => afterPickUp(taken),
    code: 'keys_changed',
  },
  {
    name: "takes one of the agent's keys away",
    lie: () => inList((_, answer) => delete answer.consumerSignPubKey),
    code: 'unexpected_answer',
  },
  {
    name: "shows the expert's keys as the agent's",
    lie: ({ own }) =>
      inList((_, answer) =>
        Object.assign(answer, { consumerSignPubKey: own.sign, consumerEncryptPubKey: own.encrypt }),
      ),
    code: 'invalid_public_key',
  },
  ...['none', '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEA\n-----END PUBLIC KEY-----\n', smallOrder()].map(
    (consumerEncryptPubKey, index) => ({
      name: `shows ${['no key', 'half a key', 'a key that protects nothing'][index]} as the agent's`,
      lie: () => inList((_, answer) => Object.assign(answer, { consumerEncryptPubKey })),
      code: 'invalid_public_key',
    }),
  ),
];

/** With which every secret is zero. */
function smallOrder(): string {
  const der = Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), Buffer.alloc(32)]);
  return `-----BEGIN PUBLIC KEY-----\n${der.toString('base64')}\n-----END PUBLIC KEY-----\n`;
}
