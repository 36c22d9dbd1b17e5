import type { Principal } from '@expert-relay/kit/principal';

/** A whole HTTP request as text. */
export function httpText(
  method: string,
  path: string,
  options: { headers?: Readonly<Record<string, string>>; body?: object } = {},
): string {
  const body = bodyText(options.body);
  const headers = {
    host: '127.0.0.1',
    accept: 'application/json',
    'user-agent': 'bench',
    ...options.headers,
    ...(options.body && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const bodyText = (body: object | undefined): string => (body ? JSON.stringify(body) : '');

/** Makes the header in which the gateway states the caller to a service. A service accepts each header once. */
export async function signAsGateway(audience: string, key: string, principal: Principal) {
  // Imported here because the package is not built yet when this file is loaded.
  const { createPrincipalSigner, principalHeader } = await import('@expert-relay/kit/principal');
  const [id = '', secret = ''] = key.split(':');
  const sign = createPrincipalSigner({
    caller: 'gateway',
    audience,
    keys: [{ id, secret: Buffer.from(secret, 'base64url') }],
    clock: { now: Date.now },
  });
  return (method: string, path: string, body?: object) => ({
    [principalHeader]: sign({
      principal,
      method,
      path,
      callId: crypto.randomUUID(),
      body: Buffer.from(bodyText(body)),
    }),
  });
}
