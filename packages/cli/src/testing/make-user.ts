import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert } from '@expert-relay/sdk/expert';

/** Signs in as a new user, and makes keys as in a browser: the agent's key can be rotated, and there are two experts. */
export async function makeUser(url: string) {
  let cookie = '';
  const post = (path: string, body: object) =>
    fetch(url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...(cookie && { cookie }) },
      body: JSON.stringify(body),
    });
  const signedIn = await post('/auth/dev', { user: `user-${crypto.randomUUID().slice(0, 8)}` });
  cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const make = async (kind: string) =>
    (await (await post('/api/keys', { name: 'laptop', kind })).json()) as { id: string; key: string };
  const [consumer, { key: apiKey }] = [await make('consumer'), await make('provider')];
  const expertWith = () => createExpert({ url, apiKey, root: makeRoot() });
  const rotate = async () =>
    ((await (await post(`/api/keys/${consumer.id}/rotate`, {})).json()) as { key: string }).key;
  return { key: consumer.key, rotate, mine: expertWith(), other: expertWith() };
}
