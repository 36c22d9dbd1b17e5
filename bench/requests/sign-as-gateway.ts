import type { Principal } from '@expert-relay/kit/principal';

/** The header by which the gateway tells a service who calls: each has a call id of its own. */
export async function signAsGateway(audience: string, key: string, principal: Principal) {
  // Not built yet when this file is loaded.
  const { createPrincipalSigner, parsePrincipalKeys, principalHeader } = await import(
    '@expert-relay/kit/principal'
  );
  const sign = createPrincipalSigner({
    caller: 'gateway',
    audience,
    keys: parsePrincipalKeys('RELAY_PRINCIPAL_KEY', key),
    clock: { now: Date.now },
  });
  return (method: string, path: string) => ({
    [principalHeader]: sign({ principal, method, path, callId: crypto.randomUUID() }),
  });
}
