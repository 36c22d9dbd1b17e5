import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { eventually, openStream, reservePort, submit, topicUrl } from '@expert-relay/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findPython } from '../../scripts/python/find-python.ts';
import { whyMissing } from '../../scripts/servers/find-tool.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { keyExchange } from '../black-box/samples.ts';
import { browserTest } from '../browser/setup/browser-test.ts';
import { openBrowser } from '../browser/setup/open-browser.ts';
import { servePage } from '../browser/setup/serve-page.ts';
import { blocks } from './blocks.ts';
import { type RunningExample, runExample } from './run-example.ts';

/* The programs in docs/event-readers.md and the commands in docs/events.md run unchanged. */

jest.setTimeout(600_000);

const page = 'docs/events.md';
const [fetchReader = '', eventSourceReader = ''] = blocks('docs/event-readers.md', 'js');
const [pythonReader = ''] = blocks('docs/event-readers.md', 'python');
const python = await findPython();

let site: Awaited<ReturnType<typeof servePage>>;
let relay: Constellation;
let expert: Tenant;
let requestId: string;
let refCode: string;

beforeAll(async () => {
  site = await servePage(await reservePort());
  relay = await startConstellation({
    env: { RELAY_CORS_ORIGINS: new URL(site.url).origin },
    // Streams end after one second instead of one hour. Readers must reconnect.
    own: {
      hub: { RELAY_HUB_STREAM_LIFETIME: '1s', RELAY_HUB_RETRY: '100ms', RELAY_HUB_HEARTBEAT: '200ms' },
    },
  });
  expert = await relay.makeTenant();
});
afterAll(() => relay?.stop());
afterAll(() => site?.close());

beforeEach(async () => {
  ({ requestId, refCode } = (await submit(relay.gatewayUrl, expert.consumerKey)).body);
});

async function call(path: string, body: object = {}): Promise<void> {
  const answer = await fetch(`${relay.gatewayUrl}/api/v1/${path}/${requestId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': expert.providerKey },
    body: JSON.stringify(body),
  });
  expect(answer.ok).toBe(true);
}

async function send(): Promise<string> {
  const messageId = crypto.randomUUID();
  await call('message', { role: 'provider', plaintext: 'Yes.', messageId });
  return messageId;
}

const countEndedStreams = () =>
  relay.logs.filter(({ msg, reason }) => msg === 'stream' && reason === 'lifetime').length;

/**
 * Sends messages while streams end several times, then closes the request. Returns the ids of the messages. A stream of
 * an earlier reader may still end, so a reader that reports its ends counts them itself.
 */
async function sendWhileStreamsEnd(countEnds = countEndedStreams): Promise<string[]> {
  const ids: string[] = [];
  for (let round = 0; round < 3; round++) {
    ids.push(await send());
    const before = countEnds();
    await eventually('the end of a stream', () => countEnds() > before, { timeoutMs: 60_000 });
  }
  ids.push(await send());
  await call('close');
  return ids;
}

const messages = (ids: readonly string[]) =>
  ids.map((messageId) => ({ type: 'new_message', role: 'provider', messageId }));

function readerEnv(env: Record<string, string> = {}): Record<string, string> {
  return { HUB_URL: relay.hubUrl, TOPIC: `/svc/requests/${requestId}`, ...env };
}

/** The name and the data of each event that a reader has printed. */
const eventsOf = (reader: RunningExample): [string, { reason?: string }][] =>
  reader
    .stdout()
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [name = '', ...data] = line.split(' ');
      return [name, JSON.parse(data.join(' '))];
    });

const readers: [string, () => readonly [string, ...string[]], string | undefined][] = [
  ['the reader with fetch', () => ['node', '--input-type=module', '--eval', fetchReader], undefined],
  [
    'the reader in Python',
    () => ['program' in python ? python.program : '', '-c', pythonReader],
    whyMissing(python),
  ],
];

describe.each(readers)('docs/event-readers.md, %s', (_name, program, missing) => {
  const run = testUnless(missing);

  run('prints each event once and in order while streams end', async () => {
    const reader = runExample(program(), readerEnv({ RELAY_API_KEY: expert.providerKey }));
    try {
      const ids = await sendWhileStreamsEnd(
        () => eventsOf(reader).filter(([name]) => name === 'hub.end').length,
      );
      const events = await eventually(
        'the end of the request',
        () => {
          const received = eventsOf(reader);
          return received.some(([, data]) => 'refCode' in data) ? received : undefined;
        },
        { timeoutMs: 60_000 },
      );
      expect(events.filter(([name]) => name === 'message').map(([, data]) => data)).toEqual([
        ...messages(ids),
        { type: 'request_closed', refCode },
      ]);
      const others = events.filter(([name]) => name !== 'message');
      expect(others.length).toBeGreaterThan(2);
      expect(new Set(others.map((event) => JSON.stringify(event)))).toEqual(
        new Set(['["hub.end",{"reason":"lifetime"}]']),
      );
    } finally {
      await reader.stop();
    }
  });

  run('prints a reset when its position is unknown, and then further events', async () => {
    const reader = runExample(program(), readerEnv({ LAST_EVENT_ID: 'gone.1.00000000' }));
    try {
      await eventually('the reset', () => eventsOf(reader).length > 0, { timeoutMs: 60_000 });
      const messageId = await send();
      await eventually('the message', () => eventsOf(reader).some(([name]) => name === 'message'), {
        timeoutMs: 60_000,
      });
      const [first, ...rest] = eventsOf(reader).filter(([name]) => name !== 'hub.end');
      expect(first).toEqual(['hub.reset', { id: expect.any(String) }]);
      expect(rest).toEqual([['message', messages([messageId])[0]]]);
    } finally {
      await reader.stop();
    }
  });

  run('exits with 1 when the relay refuses the key', async () => {
    const reader = runExample(program(), readerEnv({ RELAY_API_KEY: 'hs_wrong' }));
    const { code, printed } = await reader.ended();
    expect(code).toBe(1);
    expect(printed).toMatch(/unauthorized/i);
  });
});

describe('docs/event-readers.md, the reader with EventSource', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  browserTest(
    'receives each event once and in order, and fetches a new token when one is refused',
    async () => {
      const tab = await browser.newPage();
      await tab.goto(site.url);
      await tab.addScriptTag({ content: eventSourceReader });
      const topic = `/svc/providers/${expert.userId}/activity`;
      const answer = await fetch(`${relay.gatewayUrl}/api/v1/stream-token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': expert.providerKey },
        body: JSON.stringify({ topics: [topic] }),
      });
      const { token } = (await answer.json()) as { token: string };
      await tab.evaluate(`{
      const tokens = ['not.a.token'];
      window.received = [];
      follow(${JSON.stringify(relay.hubUrl)}, ${JSON.stringify(topic)}, async () => tokens.shift() ?? '${token}',
        (name, data) => window.received.push([name, data]));
    }`);
      const ids = await sendWhileStreamsEnd();
      type Received = [string, { requestId?: string; refCode?: string; type?: string }][];
      const eventsOfRequest = async () =>
        (await tab.evaluate<Received>('window.received')).filter(([, data]) => data.requestId === requestId);
      const events = await eventually(
        'the end of the request',
        async () => {
          const received = await eventsOfRequest();
          return received.some(([, { type }]) => type === 'request_closed') ? received : undefined;
        },
        { timeoutMs: 60_000 },
      );
      expect(events.map(([, data]) => data)).toEqual([
        { type: 'new_request', refCode, question: expect.any(String), requestId },
        ...messages(ids).map((message) => ({ ...message, requestId })),
        { type: 'request_closed', refCode, requestId, reason: 'closed' },
      ]);
    },
  );
});

test('docs/events.md: the events of each topic have the members in its table', async () => {
  const rows = [
    ...readFileSync(page, 'utf8').matchAll(/^\| (provider|request|activity) \| `\{"type":"(\w+)",(.*?)\}`/gm),
  ].map(([, topic, type, rest = '']): [string, string[]] => [
    `${topic} ${type}`,
    ['type', ...rest.replaceAll('"', '').split(',')],
  ]);
  // Only a session triages: test/conformance/events.test.ts has this event.
  const stated = rows.filter(([name]) => name !== 'activity request_triaged');

  const topics = {
    request: `/svc/requests/${requestId}`,
    provider: `/svc/providers/${expert.userId}`,
    activity: `/svc/providers/${expert.userId}/activity`,
  };
  const actual = new Map<string, readonly string[]>();
  await call('key-exchange', keyExchange());
  await send();
  await call('close');
  for (const [name, topic] of Object.entries(topics)) {
    const open = () =>
      openStream(`${topicUrl(relay.hubUrl, topic)}&lastEventId=earliest`, {
        headers: { 'x-api-key': expert.providerKey },
      });
    let stream = await open();
    const count = { request: 3, provider: 1, activity: 4 }[name] ?? 0;
    await eventually(`${count} types`, async () => {
      for (const { event, data } of stream.events) {
        const json = JSON.parse(data);
        if (event === 'message') actual.set(`${name} ${json.type}`, Object.keys(json));
      }
      if (stream.ended) stream = await open();
      return [...actual.keys()].filter((key) => key.startsWith(name)).length === count;
    });
    await stream.close();
  }
  expect(stated).toHaveLength(8);
  expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(stated));
});

test('docs/events.md: the shell commands work unchanged with a local relay', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-events-page-'));
  mkdirSync(join(folder, '.relay'));
  const { gatewayUrl } = relay;
  writeFileSync(join(folder, '.relay/dev.json'), JSON.stringify({ gatewayUrl, ...expert }));
  const commands = ['set -e', ...blocks(page, 'sh')].join('\n');
  try {
    const { code, printed } = await runExample(['bash', '-c', commands], {}, folder).ended();
    expect([code, printed]).toEqual([0, expect.any(String)]);
    expect(printed).toMatch(/^retry: \d+$/m);
    expect(printed).toMatch(
      /^id: [\w.]+\ndata: {"type":"new_message","role":"provider","messageId":"[\w-]+"}$/m,
    );
    expect(printed).toMatch(/^id: [\w.]+\ndata: {"type":"request_closed","refCode":"HS-\w+"}$/m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
