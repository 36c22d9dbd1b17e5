import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A push as the service gets it. */
export interface ReceivedPush {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A push service after RFC 8030 on this machine, and a browser that has subscribed there. */
export interface PushService extends AsyncDisposable {
  readonly origin: string;
  readonly received: readonly ReceivedPush[];
  /** The private key and the secret of the browser, in base64. */
  readonly browser: { readonly private: string; readonly auth: string };
  subscribe(name: string): { endpoint: string; keys: { p256dh: string; auth: string } };
  /** Answers as it does to subscriptions that have ended. */
  forget(name: string): void;
}

/** A pair of keys on the curve P-256, the private one with all its 32 bytes: Node leaves out zeros at the beginning. */
export function makePushKeys(): { readonly public: Buffer; readonly private: Buffer } {
  const pair = createECDH('prime256v1');
  const publicKey = pair.generateKeys();
  return { public: publicKey, private: Buffer.from(pair.getPrivateKey('hex').padStart(64, '0'), 'hex') };
}

export async function startPushService(): Promise<PushService> {
  const browser = makePushKeys();
  const auth = randomBytes(16);
  const received: ReceivedPush[] = [];
  const forgotten = new Set<string>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url: path = '', headers, method } = request;
    const isValid =
      method === 'POST' &&
      headers['content-encoding'] === 'aes128gcm' &&
      /^\d+$/.test(String(headers.ttl)) &&
      /^(very-low|low|normal|high)$/.test(String(headers.urgency)) &&
      /^[\w-]{1,32}$/.test(String(headers.topic ?? 'x'));
    if (forgotten.has(path)) response.statusCode = 410;
    else response.statusCode = isValid ? 201 : 400;
    if (isValid) received.push({ path, headers, body: Buffer.concat(chunks) });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    received,
    browser: { private: browser.private.toString('base64'), auth: auth.toString('base64') },
    subscribe: (name) => ({
      endpoint: `${origin}/${name}`,
      keys: { p256dh: browser.public.toString('base64url'), auth: auth.toString('base64url') },
    }),
    forget: (name) => void forgotten.add(`/${name}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Verifies the identification of a relay (RFC 8292) and returns what it says. */
export function readVapid(authorization: string, publicKey: string): Record<string, unknown> {
  const [, token = '', key] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  if (key !== publicKey) throw new Error('the key is another one');
  const [head = '', body = '', signature = ''] = token.split('.');
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const jwk = { kty: 'EC', crv: 'P-256', x, y } as const;
  const isValid = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: createPublicKey({ key: jwk as never, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isValid) throw new Error('the signature is not valid');
  return JSON.parse(Buffer.from(body, 'base64url').toString());
}
