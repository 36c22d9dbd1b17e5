import { type Caller, createCaller, type SendCall } from './caller.ts';
import type { HttpResponse } from './http-call.ts';
import { submission } from './samples.ts';

/** A caller with an API key. */
export interface KeyCaller extends Caller {
  readonly key: string;
  readonly keyId: string;
}

/** A caller with a consumer key, which can submit requests. */
export interface Agent extends KeyCaller {
  /** Submits a request. `members` replace those of the sample in samples.ts. */
  submit(
    members?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<HttpResponse>;
  /** Submits a request and expects that it is accepted. */
  newRequest(members?: Readonly<Record<string, unknown>>): Promise<SubmittedRequest>;
}

export interface SubmittedRequest {
  readonly requestId: string;
  readonly refCode: string;
  readonly status: string;
  readonly expiresAt: string;
}

/** A user of the relay with all kinds of credentials. */
export interface Expert {
  readonly name: string;
  readonly userId: string;
  readonly session: Caller;
  readonly consumer: Agent;
  /** Another key of the same user. It must not see the requests of the first one. */
  readonly secondConsumer: Agent;
  readonly provider: KeyCaller;
  newKey(kind: 'consumer', name?: string): Promise<Agent>;
  newKey(kind: 'provider', name?: string): Promise<KeyCaller>;
  /** Signs in once more and returns the id of the new session. */
  newSession(): Promise<string>;
}

export async function signUp(sendCall: SendCall, name: string): Promise<Expert> {
  const session = await signIn(sendCall, name);
  const { userId } = (await session.get('/api/me')).json;

  async function newKey(kind: 'consumer' | 'provider', keyName = `${name} ${kind}`): Promise<Agent> {
    const { key, id } = (await session.post('/api/keys', { name: keyName, kind })).json;
    return createAgent(sendCall, key, id);
  }
  async function newSession(): Promise<string> {
    const { sessions } = (await (await signIn(sendCall, name)).get('/api/sessions')).json;
    return sessions.find(({ current }: { current: boolean }) => current).id;
  }
  const [consumer, secondConsumer, provider] = [
    await newKey('consumer'),
    await newKey('consumer'),
    await newKey('provider'),
  ];
  return { name, userId, session, consumer, secondConsumer, provider, newKey, newSession };
}

/** Signs a user in. The user is created if it does not exist. */
export async function signIn(sendCall: SendCall, name: string): Promise<Caller> {
  const response = await createCaller(sendCall, {}).post('/auth/dev', { user: name });
  const [cookie] = response.headers['set-cookie'] ?? [];
  if (!cookie)
    throw new Error(`POST /auth/dev responded with ${response.status} without a cookie: ${response.text}`);
  return createCaller(sendCall, { cookie: cookie.split(';')[0] ?? '' });
}

export function createAgent(sendCall: SendCall, key: string, keyId = ''): Agent {
  const caller = createCaller(sendCall, { 'x-api-key': key });
  // A submit has its key only in the body.
  const anonymous = createCaller(sendCall, {});
  const submit: Agent['submit'] = (members, headers) =>
    anonymous.post('/api/v1/help', { apiKey: key, ...submission(), ...members }, headers);
  return {
    ...caller,
    key,
    keyId,
    submit,
    async newRequest(members) {
      const response = await submit(members);
      if (response.status !== 201)
        throw new Error(`submit responded with ${response.status}: ${response.text}`);
      return response.json;
    },
  };
}
