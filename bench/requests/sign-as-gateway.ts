import { systemClock } from '@expert-relay/kit/clock';
import {
  createPrincipalSigner,
  type Principal,
  parsePrincipalKeys,
  principalHeader,
} from '@expert-relay/kit/principal';

/** The header by which the gateway tells a service who calls: each has a call id of its own. */
export function signAsGateway(audience: string, key: string, principal: Principal) {
  const sign = createPrincipalSigner({
    caller: 'gateway',
    audience,
    keys: parsePrincipalKeys('RELAY_PRINCIPAL_KEY', key),
    clock: systemClock,
  });
  return (method: string, path: string) => ({
    [principalHeader]: sign({ principal, method, path, callId: crypto.randomUUID() }),
  });
}
