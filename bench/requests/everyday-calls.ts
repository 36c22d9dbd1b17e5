import type { Controlled } from '../stage/controlled.ts';
import type { Stage } from '../stage/stage.ts';
import { encryptedMessage } from './encrypted-message.ts';
import { httpText } from './http-text.ts';
import { submission } from './submission.ts';
import { writeConversation } from './write-conversation.ts';

/** A conversation takes 10,000 messages, and these are sent into one after the other. */
const conversations = 10;

/** Calls of the gateway for requests, messages and the dashboard in turn: the writes and reads of a day. */
export async function everydayCalls(
  { database, user }: Stage,
  gateway: Controlled,
): Promise<readonly string[]> {
  const headers = { 'x-api-key': user.providerKey };
  const cookie = await signIn(gateway);
  const submit = httpText('POST', '/api/v1/help', { body: { apiKey: user.consumerKey, ...submission } });
  const host = `127.0.0.1:${gateway.port}`;
  const whoami = httpText('GET', '/api/me', { headers: { cookie, host } });

  const calls: string[] = [];
  for (let at = 0; at < conversations; at++) {
    const id = await writeConversation(database, user.userId, 10);
    const { signature, ...encrypted } = encryptedMessage();
    const body = { role: 'provider', encrypted, signature };
    const send = httpText('POST', `/api/v1/message/${id}`, { headers, body });
    const list = httpText('GET', `/api/v1/messages/${id}?limit=10`, { headers });
    const poll = httpText('GET', `/api/v1/help/${id}`, { headers });
    calls.push(submit, send, whoami, poll, list, whoami);
  }
  return calls;
}

async function signIn({ port }: Controlled): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/auth/dev`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: 'bench' }),
    redirect: 'manual',
  });
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}
