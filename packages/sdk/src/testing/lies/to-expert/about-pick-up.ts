import type { Call, Json } from '@expert-relay/testkit';
import { flip, inList } from '../in-list.ts';
import type { ExpertRow } from './expert-row.ts';

const isPickUp = ({ path }: Call) => path.startsWith('/api/v1/key-exchange/');
const once = (alter: (answer: Json) => void) =>
  inList((_, answer) => {
    if (answer.providerSignPubKey) alter(answer);
  });

/** Lies about the expert's own keys. */
export const aboutPickUp: readonly ExpertRow[] = [
  {
    name: 'says that somebody else has picked it up',
    lie: ({ foreign }) =>
      inList((_, answer) =>
        Object.assign(answer, {
          providerSignPubKey: foreign.sign,
          providerEncryptPubKey: foreign.encrypt,
          keySignature: null,
        }),
      ),
    code: 'keys_changed',
  },
  {
    name: 'says that somebody else was faster',
    lie: ({ foreign }) => ({
      ...inList((_, answer) =>
        Object.assign(answer, { providerSignPubKey: foreign.sign, providerEncryptPubKey: foreign.encrypt }),
      ),
      swallow: (call) => (isPickUp(call) ? { status: 409, body: { error: 'keys_exchanged' } } : undefined),
    }),
    code: 'keys_changed',
  },
  {
    name: 'refuses the pick-up, and shows nobody who did it',
    lie: () => ({
      swallow: (call) => (isPickUp(call) ? { status: 409, body: { error: 'keys_exchanged' } } : undefined),
    }),
    code: 'conflict',
  },
  {
    name: 'takes the pick-up, and forgets it',
    lie: () => ({ swallow: (call) => (isPickUp(call) ? { status: 200, body: {} } : undefined) }),
    code: 'keys_changed',
  },
  {
    name: "shows another encryption key as the expert's",
    lie: ({ foreign }) => once((answer) => Object.assign(answer, { providerEncryptPubKey: foreign.encrypt })),
    code: 'keys_changed',
  },
  {
    name: "shows another identity as the expert's",
    lie: ({ foreign }) => once((answer) => Object.assign(answer, { providerSignPubKey: foreign.sign })),
    code: 'keys_changed',
  },
  {
    name: "alters the expert's signature of the keys",
    lie: () => once((answer) => Object.assign(answer, { keySignature: flip(answer.keySignature) })),
    code: 'keys_changed',
  },
  {
    name: "takes the expert's signature of the keys away",
    lie: () => once((answer) => delete answer.keySignature),
    code: 'keys_changed',
  },
  {
    name: "alters the expert's signature on its way to the agent",
    lie: () => {
      let own: unknown;
      return {
        ...once((answer) => Object.assign(answer, { keySignature: own })),
        call(call) {
          if (!isPickUp(call)) return;
          own = call.body.keySignature;
          call.body.keySignature = flip(own);
        },
      };
    },
    unnoticed: 'the agent sees it',
    agent: 'key_signature_wrong',
  },
  {
    name: "swaps the expert's encryption key on its way to the agent",
    lie: ({ own, foreign }) => ({
      ...once((answer) => Object.assign(answer, { providerEncryptPubKey: own.encrypt })),
      call(call) {
        if (isPickUp(call)) call.body.providerEncryptPubKey = foreign.encrypt;
      },
    }),
    unnoticed: 'the agent sees it',
    agent: 'key_signature_wrong',
  },
];
