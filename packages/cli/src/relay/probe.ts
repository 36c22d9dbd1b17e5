import { fetchAnswer } from './fetch-answer.ts';
import { looking } from './timing.ts';

interface ProbeOptions {
  signal: AbortSignal;
  /** In milliseconds. */
  patience?: number;
}

/** The answer of an address, or the reason why there is none. */
export type Probe =
  | { status: number; body: unknown; isTooLarge: boolean }
  | { trouble: string; next: string };

export async function probe(
  url: string,
  { signal, patience = looking.timeoutMs }: ProbeOptions,
): Promise<Probe> {
  try {
    const { response, body, isTooLarge } = await fetchAnswer(
      url,
      { redirect: 'manual' },
      { timeoutMs: patience, signal },
    );
    return { status: response.status, body, isTooLarge };
  } catch (error) {
    signal.throwIfAborted();
    return causeOf(error);
  }
}

const causes: Readonly<Record<string, readonly [trouble: string, next: string]>> = {
  ENOTFOUND: ['has an unknown name', 'Check how it is spelled, and whether this machine has a network.'],
  EAI_AGAIN: [
    'has a name that could not be looked up',
    'Check whether this machine has a network and a name server.',
  ],
  ECONNREFUSED: ['refuses connections: nothing listens there', 'Check the port, and whether the relay runs.'],
  ECONNRESET: ['closes the connection', 'Check the port and whether it wants https.'],
  UND_ERR_SOCKET: ['closes the connection', 'Check the port and whether it wants https.'],
  EHOSTUNREACH: ['cannot be reached from this network', 'Check the network, a VPN or a firewall.'],
  ENETUNREACH: ['cannot be reached from this network', 'Check the network, a VPN or a firewall.'],
  ETIMEDOUT: ['does not answer', 'Check the network, a VPN or a firewall.'],
  UND_ERR_CONNECT_TIMEOUT: ['does not answer', 'Check the network, a VPN or a firewall.'],
  CERT_HAS_EXPIRED: ['has a certificate that has expired', 'Tell its operator.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    'has a certificate of an unknown authority',
    'Set NODE_EXTRA_CA_CERTS to the certificate of the authority that issued it.',
  ],
  SELF_SIGNED_CERT_IN_CHAIN: [
    'has a certificate of an unknown authority',
    'Set NODE_EXTRA_CA_CERTS to the certificate of the authority that issued it.',
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'has a certificate of an unknown authority',
    'Set NODE_EXTRA_CA_CERTS to the certificate of the authority that issued it.',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: ['has a certificate for another name', 'Check how the address is spelled.'],
};

/** The reason why a call failed, in words. */
export function causeOf(error: unknown): { trouble: string; next: string } {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  if (name === 'TimeoutError') {
    return {
      trouble: 'did not answer in time',
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
