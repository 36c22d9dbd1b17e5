import type { Call, Json } from '@expert-relay/testkit';
import { alterList, flipBit } from '../alter-list.ts';
import type { ExpertRow } from './expert-row.ts';

const isPickUp = ({ path }: Call) => path.startsWith('/api/v1/key-exchange/');
const whenPickedUp = (alter: (answer: Json) => void) =>
  alterList((_, answer) => {
    if (answer.providerSignPubKey) alter(answer);
  });

/** Lies about the expert's own keys. */
export const aboutPickUp: readonly ExpertRow[] = [
  {
    name: 'states that another expert has picked up',
    lie: ({ attackerKeys }) =>
      alterList((_, answer) =>
        Object.assign(answer, {
          providerSignPubKey: attackerKeys.sign,
          providerEncryptPubKey: attackerKeys.encrypt,
          keySignature: null,
        }),
      ),
    code: 'keys_changed',
  },
  {
    name: "refuses the pick-up, and returns another expert's keys",
    lie: ({ attackerKeys }) => ({
      ...alterList((_, answer) =>
        Object.assign(answer, {
          providerSignPubKey: attackerKeys.sign,
          providerEncryptPubKey: attackerKeys.encrypt,
        }),
      ),
      swallow: (call) => (isPickUp(call) ? { status: 409, body: { error: 'keys_exchanged' } } : undefined),
    }),
    code: 'keys_changed',
  },
  {
    name: 'refuses the pick-up, and returns no keys of an expert',
    lie: () => ({
      swallow: (call) => (isPickUp(call) ? { status: 409, body: { error: 'keys_exchanged' } } : undefined),
    }),
    code: 'conflict',
  },
  {
    name: 'accepts the pick-up, and loses it',
    lie: () => ({ swallow: (call) => (isPickUp(call) ? { status: 200, body: {} } : undefined) }),
    code: 'keys_changed',
  },
  {
    name: "returns another encryption key as the expert's",
    lie: ({ attackerKeys }) =>
      whenPickedUp((answer) => Object.assign(answer, { providerEncryptPubKey: attackerKeys.encrypt })),
    code: 'keys_changed',
  },
  {
    name: "returns another identity as the expert's",
    lie: ({ attackerKeys }) =>
      whenPickedUp((answer) => Object.assign(answer, { providerSignPubKey: attackerKeys.sign })),
    code: 'keys_changed',
  },
  {
    name: "changes the expert's signature of the keys",
    lie: () =>
      whenPickedUp((answer) => Object.assign(answer, { keySignature: flipBit(answer.keySignature) })),
    code: 'keys_changed',
  },
  {
    name: "removes the expert's signature of the keys",
    lie: () => whenPickedUp((answer) => delete answer.keySignature),
    code: 'keys_changed',
  },
  {
    name: "changes the expert's signature for the agent only",
    lie: () => {
      let own: unknown;
      return {
        ...whenPickedUp((answer) => Object.assign(answer, { keySignature: own })),
        call(call) {
          if (!isPickUp(call)) return;
          own = call.body.keySignature;
          call.body.keySignature = flipBit(own);
        },
      };
    },
    unnoticed: 'the agent notices it',
    agent: 'key_signature_wrong',
  },
  {
    name: "replaces the expert's encryption key for the agent only",
    lie: ({ own, attackerKeys }) => ({
      ...whenPickedUp((answer) => Object.assign(answer, { providerEncryptPubKey: own.encrypt })),
      call(call) {
        if (isPickUp(call)) call.body.providerEncryptPubKey = attackerKeys.encrypt;
      },
    }),
    unnoticed: 'the agent notices it',
    agent: 'key_signature_wrong',
  },
];
