const causes: Readonly<Record<string, readonly [trouble: string, next: string]>> = {
  ENOTFOUND: [
    'has a name that nobody knows',
    'Check how it is spelled, and whether this machine has a network.',
  ],
  EAI_AGAIN: [
    'has a name that could not be looked up',
    'Check whether this machine has a network and a name server.',
  ],
  ECONNREFUSED: ['refuses connections: nothing listens there', 'Check the port, and whether the relay runs.'],
  ECONNRESET: ['breaks the connection off', 'Check the port and whether it wants https.'],
  UND_ERR_SOCKET: ['breaks the connection off', 'Check the port and whether it wants https.'],
  EHOSTUNREACH: ['cannot be reached from this network', 'Check the network, a VPN or a firewall.'],
  ENETUNREACH: ['cannot be reached from this network', 'Check the network, a VPN or a firewall.'],
  ETIMEDOUT: ['does not answer', 'Check the network, a VPN or a firewall.'],
  UND_ERR_CONNECT_TIMEOUT: ['does not answer', 'Check the network, a VPN or a firewall.'],
  CERT_HAS_EXPIRED: ['has a certificate that has expired', 'Tell its operator.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    'has a certificate that nobody vouches for',
    'Set NODE_EXTRA_CA_CERTS to the authority that made it.',
  ],
  SELF_SIGNED_CERT_IN_CHAIN: [
    'has a certificate that nobody vouches for',
    'Set NODE_EXTRA_CA_CERTS to the authority that made it.',
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'has a certificate that nobody vouches for',
    'Set NODE_EXTRA_CA_CERTS to the authority that made it.',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: ['has a certificate for another name', 'Check how the address is spelled.'],
};

/** Why a call did not come through, in words. */
export function causeOf(error: unknown): { trouble: string; next: string } {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  if (name === 'TimeoutError') {
    return {
      trouble: 'did not answer within 10 seconds',
      next: 'Check the network, a VPN, a proxy or a firewall.',
    };
  }
  const code = cause?.code ?? '';
  const [trouble, next] = causes[code] ?? [
    `cannot be called (${code || name})`,
    'Check the address, and the network between.',
  ];
  return { trouble, next };
}
