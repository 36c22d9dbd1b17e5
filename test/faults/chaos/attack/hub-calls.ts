import type { Random } from '../../plan/random.ts';
import { type Call, type Header, makeCall, pickWeighted } from './call.ts';
import type { Knowledge } from './connection.ts';
import { drawKey } from './credentials.ts';

function drawTopics(random: Random, { userId, requestIds }: Knowledge): string[] {
  const known = () => `/svc/requests/${random.pick(requestIds)}`;
  const unknown = () => `/svc/requests/${random.uuid().replaceAll('-', '').slice(0, 22)}`;
  return pickWeighted<() => string[]>(random, [
    [6, () => [known()]],
    [3, () => [unknown()]],
    [2, () => [`/svc/providers/${userId}`]],
    [2, () => [`/svc/providers/${userId}/activity`]],
    [2, () => Array.from({ length: random.integer(2, 20) }, known)],
    [1, () => Array.from({ length: random.integer(90, 110) }, unknown)],
    [
      1,
      () => [random.pick(['', '/svc/requests/*', '/svc/providers/../x', '*', '\x80\xff', 'x'.repeat(9_000)])],
    ],
    [1, () => []],
  ])();
}

function drawPosition(random: Random): string | undefined {
  return pickWeighted<() => string | undefined>(random, [
    [6, () => undefined],
    [2, () => 'earliest'],
    [1, () => `${random.integer(0, 2 ** 31).toString(36)}.${random.integer(0, 99_999)}.00000000`],
    [1, () => random.pick(['0', '-1', 'x'.repeat(3_000), '\x80', 'a.999999999999999.ffffffff.9999'])],
  ])();
}

/** A call for a stream, with any credential or none. */
export function drawHubCall(random: Random, knowledge: Knowledge): Call {
  const { hubHost, consumerKeys, providerKeys, streamToken } = knowledge;
  const query = new URLSearchParams();
  for (const topic of drawTopics(random, knowledge)) query.append('topic', topic);
  const headers: Header[] = [
    ['host', hubHost],
    ['accept', 'text/event-stream'],
  ];
  const position = drawPosition(random);
  if (position !== undefined && (position === 'earliest' || random.chance(0.5)))
    query.set('lastEventId', position);
  else if (position !== undefined) headers.push(['last-event-id', position]);

  const token = () => random.pick([streamToken, streamToken.replace(/.{8}$/, 'AAAAAAAA'), 'x.y.z', '']);
  const credential = pickWeighted(random, [
    [5, 'none'],
    [4, 'key'],
    [2, 'bearer'],
    [2, 'query'],
    [1, 'two'],
  ]);
  if (credential === 'key' || credential === 'two')
    headers.push(['x-api-key', drawKey(random, random.pick([consumerKeys, providerKeys]))]);
  if (credential === 'bearer' || credential === 'two') headers.push(['authorization', `Bearer ${token()}`]);
  if (credential === 'query') query.set('authorization', token());

  const path = pickWeighted(random, [
    [8, '/'],
    [3, '/hub'],
    [1, '/nowhere'],
  ]);
  const method = pickWeighted(random, [
    [12, 'GET'],
    [1, 'HEAD'],
    [1, 'OPTIONS'],
    [1, 'POST'],
  ]);
  return makeCall(method, `${path}?${query}`, headers);
}

/** A valid call for a stream, without a credential. */
export function openAnonymousStream(random: Random, { hubHost, requestIds }: Knowledge): Call {
  return makeCall('GET', `/?topic=/svc/requests/${random.pick(requestIds)}`, [
    ['host', hubHost],
    ['accept', 'text/event-stream'],
  ]);
}
