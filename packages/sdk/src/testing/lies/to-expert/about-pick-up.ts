import type { Call } from '@expert-relay/testkit';
import { alterList } from '@expert-relay/testkit/lies';
import type { ExpertRow } from './expert-row.ts';

const isPickUp = ({ path }: Call) => path.startsWith('/api/v1/key-exchange/');
/** Lies about the expert's own keys. */
export const aboutPickUp: readonly ExpertRow[] = [
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
    error: { code: 'untrusted', reason: 'keys_changed' },
  },
  {
    name: 'refuses the pick-up, and returns no keys of an expert',
    lie: () => ({
      swallow: (call) => (isPickUp(call) ? { status: 409, body: { error: 'keys_exchanged' } } : undefined),
    }),
    error: { code: 'conflict' },
  },
  {
    name: 'accepts the pick-up, and loses it',
    lie: () => ({ swallow: (call) => (isPickUp(call) ? { status: 200, body: {} } : undefined) }),
    error: { code: 'untrusted', reason: 'keys_changed' },
  },
];
