import type { Agent, Expert } from '../black-box/expert.ts';
import type { HttpCall } from '../black-box/http-call.ts';
import { unknownKeyId, unknownRequestId, unknownSessionId } from '../black-box/samples.ts';
import type { CallerKind, Endpoint } from './endpoints.ts';

/** The ids that replace the parameters of a path. */
export interface ResourceIds {
  readonly requestId: string;
  readonly refCode: string;
  readonly keyId: string;
  readonly sessionId: string;
  readonly webhookId: string;
  readonly channelId: string;
}

/** Creates a request, a key, a session, a channel, and the only webhook of the agent. */
export async function createResources(expert: Expert): Promise<ResourceIds> {
  const { requestId, refCode } = await expert.consumer.newRequest();
  const { keyId } = await expert.newKey('consumer', 'spare');
  const sessionId = await expert.newSession();
  const webhookId = await newWebhook(expert, expert.consumer);
  const channelId = await newChannel(expert);
  return { requestId, refCode, keyId, sessionId, webhookId, channelId };
}

/** Creates a webhook of an agent, and deletes its others, since their number is limited. */
export async function newWebhook(expert: Expert, agent: Agent): Promise<string> {
  const { webhooks } = (await expert.provider.get('/api/v1/webhooks')).json;
  for (const { id, keyId } of webhooks)
    if (!keyId || keyId === agent.keyId) await expert.provider.delete(`/api/v1/webhooks/${id}`);
  return (await agent.post('/api/v1/webhooks', { url: 'http://127.0.0.1:9/hook' })).json.id;
}

/** Creates a channel of an expert, unless there is one with this address. */
export async function newChannel({ session }: Expert): Promise<string> {
  const channel = { kind: 'chat', url: 'http://127.0.0.1:9/channel' };
  return (await session.post('/api/notifications/channels', channel)).json.id;
}

/** Ids of the right form that do not exist. */
export const unknownResources = (): ResourceIds => ({
  requestId: unknownRequestId(),
  refCode: 'HS-00000000',
  keyId: unknownKeyId(),
  sessionId: unknownSessionId(),
  webhookId: unknownKeyId(),
  channelId: unknownKeyId(),
});

/** An API key, a cookie, or nothing. */
export type Credential = { key: string } | { cookie: string } | undefined;

export function credentialOf(expert: Expert, kind: CallerKind): Credential {
  if (kind === 'session') return { cookie: expert.session.headers.cookie ?? '' };
  return kind === 'anonymous' ? undefined : { key: expert[kind].key };
}

/** A valid call of an endpoint. It is accepted if the credential and the ids are valid. */
export function endpointCall(
  endpoint: Endpoint,
  ids: ResourceIds,
  credential: Credential,
  options: { as?: CallerKind; body?: Readonly<Record<string, unknown>> } = {},
): HttpCall {
  const { method, auth } = endpoint;
  const as =
    options.as ?? (auth === 'session' ? 'session' : auth === 'provider key' ? 'provider' : 'consumer');
  const content = options.body ?? endpoint.body?.(as);
  const key = credential && 'key' in credential ? credential.key : undefined;
  const inBody = auth === 'key in body';
  const body = content && fill(JSON.stringify({ ...content, ...(inBody && { apiKey: key }) }), ids);
  return {
    method,
    path: fill(endpoint.path, ids),
    headers: {
      ...(credential && 'cookie' in credential && { cookie: credential.cookie }),
      ...(key !== undefined && !inBody && { 'x-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  };
}

const fill = (text: string, ids: ResourceIds): string =>
  text
    .replace(
      /:(requestId|refCode|keyId|sessionId|webhookId|channelId)/g,
      (_whole, name: keyof ResourceIds) => ids[name],
    )
    .replace(':provider', 'github');
