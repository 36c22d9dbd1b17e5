import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { systemClock } from '../clock/index.ts';
import { createHttpServer, type HttpServer } from '../http/create-http-server.ts';
import { serveRoutes } from '../http/serve-routes.ts';
import { createLog } from '../log/index.ts';
import { createMetrics } from '../metrics/index.ts';
import {
  createPrincipalSigner,
  createPrincipalVerifier,
  type Principal,
  principalHeader,
} from '../principal/index.ts';

/** The kinds of callers that these routes allow. */
export const kinds = ['consumer', 'session'] as const;

export const keyOf = (userId: string): Principal => ({
  kind: 'consumer',
  apiKeyId: randomUUID(),
  userId,
  secret: { createdAt: 0 },
});

export const sessionOf = (userId: string): Principal => ({
  kind: 'session',
  sessionId: randomUUID(),
  userId,
  begunAt: 0,
  endsAt: 0,
});

/** Far more than the buffers of the kernel at both ends. */
export async function* hugePieces() {
  for (let piece = 0; piece < 2_000; piece++) yield 'x'.repeat(65_536);
  return 'x';
}

/** A server of routes during the tests of a file. Returns what calls one, as a principal. */
export function useRoutes(
  options: Pick<Parameters<typeof serveRoutes>[0], 'routes' | 'poolSize' | 'maxLongResponses'>,
) {
  const keys = [{ id: 'test', secret: randomBytes(32) }] as const;
  const sign = createPrincipalSigner({ caller: 'gateway', audience: 'test', keys, clock: systemClock });
  const open = new Set<IncomingMessage>();
  let server: HttpServer;

  beforeAll(async () => {
    const callers = { gateway: { keys, kinds } };
    const handler = serveRoutes({
      ...options,
      verify: createPrincipalVerifier({ audience: 'test', callers, clock: systemClock }),
      log: createLog('test', { level: 'silent' }),
      metrics: createMetrics('test', { forProcess: false }),
    });
    server = createHttpServer({ handler, host: '127.0.0.1', port: 0 });
    await server.start?.();
  });
  afterEach(() => {
    for (const response of open) response.destroy();
    open.clear();
  });
  afterAll(() => server.stop?.());

  /** The head of a response whose body is not read yet. */
  return async function begin(path: string, principal: Principal): Promise<IncomingMessage> {
    const header = sign({ principal, method: 'GET', path, callId: randomUUID() });
    const request = get(`${server.url}${path}`, { agent: false, headers: { [principalHeader]: header } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => {});
    open.add(response);
    return response;
  };
}
