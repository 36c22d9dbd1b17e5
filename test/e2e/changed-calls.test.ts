import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
} from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { reservePort } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

type ServiceName = 'requests' | 'messages' | 'dashboard';

interface SignedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Someone who stands between the gateway and a service: reads the calls, and may change the bodies. */
interface Middleman {
  readonly calls: SignedCall[];
  change: ((body: Buffer) => Buffer) | undefined;
}

const names: readonly ServiceName[] = ['requests', 'messages', 'dashboard'];
const middlemen = {} as Record<ServiceName, Middleman>;
const servers: Server[] = [];
let relay: Constellation;
let tenant: Tenant;

beforeAll(async () => {
  const settings: Record<string, string> = {};
  for (const name of names) {
    const middleman: Middleman = { calls: [], change: undefined };
    middlemen[name] = middleman;
    const server = createServer(async (incoming, response) => {
      const { method = '', url: path = '', headers } = incoming;
      const body = await buffer(incoming);
      const call = { method, path, headers, body };
      middleman.calls.push(call);
      const result = await send(name, { ...call, body: middleman.change?.(body) ?? body });
      response.writeHead(result.statusCode ?? 0, result.headers);
      result.pipe(response);
    });
    servers.push(server);
    const port = await reservePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    settings[`RELAY_${name.toUpperCase()}_URL`] = `http://127.0.0.1:${port}`;
  }
  relay = await startConstellation({ own: { gateway: settings } });
  tenant = await relay.makeTenant();
});
afterEach(() => {
  for (const { calls } of Object.values(middlemen)) calls.length = 0;
  for (const middleman of Object.values(middlemen)) middleman.change = undefined;
});
afterAll(async () => {
  await relay.stop();
  for (const server of servers) server.close().closeAllConnections();
});

/** Sends a call to a service itself, with the principal that the gateway has signed. */
function send(name: ServiceName, { method, path, headers, body }: SignedCall): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const own = { ...headers };
    delete own['content-length'];
    delete own['transfer-encoding'];
    if (body.length > 0) own['content-length'] = String(body.length);
    request(relay.services[name].url + path, { method, headers: own, agent: false }, resolve)
      .once('error', reject)
      .end(body);
  });
}

const refusal = async (result: Response): Promise<unknown> => [result.status, errorIn(await result.text())];

/** How a service responds to a call that it gets a second time. */
async function repeatLast(name: ServiceName): Promise<unknown> {
  const call = middlemen[name].calls.at(-1);
  if (!call) throw new Error('no call has reached the service');
  const result = await send(name, call);
  return [result.statusCode, errorIn(await text(result))];
}

const errorIn = (body: string): string => JSON.parse(body).error;

const isChanged = [502, 'principal_refused'];
/** The first call may have taken effect. */
const isRepeated = [502, 'bad_gateway'];

const reasons = (service: ServiceName) =>
  relay.logs.filter((line) => line.service === service && line.reason).map(({ reason }) => reason);

const asJson = { 'content-type': 'application/json' };

async function submit(question: string): Promise<Response> {
  const body = { apiKey: tenant.consumerKey, messages: [], plaintext: 'x', question };
  return await fetch(`${relay.gatewayUrl}/api/v1/help`, {
    method: 'POST',
    headers: asJson,
    body: JSON.stringify(body),
  });
}

async function sendMessage(plaintext: string): Promise<Response> {
  const { requestId } = (await (await submit('first')).json()) as { requestId: string };
  return await fetch(`${relay.gatewayUrl}/api/v1/message/${requestId}`, {
    method: 'POST',
    headers: { ...asJson, 'x-api-key': tenant.providerKey },
    body: JSON.stringify({ role: 'provider', plaintext }),
  });
}

const signIn = (user: string): Promise<Response> =>
  fetch(`${relay.gatewayUrl}/auth/dev`, {
    method: 'POST',
    headers: { ...asJson, accept: 'application/json' },
    body: JSON.stringify({ user }),
    redirect: 'manual',
  });

const list = (): Promise<Response> =>
  fetch(`${relay.gatewayUrl}/api/v1/requests`, { headers: { 'x-api-key': tenant.providerKey } });

describe.each([
  ['requests', submit],
  ['messages', sendMessage],
  ['dashboard', signIn],
] as const)('a call of %s', (name, write) => {
  const swap = (body: Buffer) => Buffer.from(body.toString('utf8').replace('original', 'replaced'));

  test('is refused with another body', async () => {
    middlemen[name].change = swap;
    expect(await refusal(await write('original'))).toEqual(isChanged);
    expect(middlemen[name].calls).toHaveLength(1);
    expect(reasons(name)).toContain('wrong_body');
  });

  test('is refused without its body', async () => {
    middlemen[name].change = () => Buffer.alloc(0);
    expect(await refusal(await write('original'))).toEqual(isChanged);
  });

  test('is accepted once', async () => {
    expect((await write('original')).status).toBeLessThan(400);
    expect(await repeatLast(name)).toEqual(isRepeated);
    expect(reasons(name)).toContain('repeated');
  });
});

test('a call without a body is accepted once, and refused with one', async () => {
  expect((await list()).status).toBe(200);
  expect(await repeatLast('requests')).toEqual(isRepeated);

  middlemen.requests.change = () => Buffer.from('{}');
  expect(await refusal(await list())).toEqual(isChanged);
});
