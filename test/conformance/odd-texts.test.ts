import { Agent } from 'node:http';
import { afterAll, describe, expect, test } from '@jest/globals';
import { sendCall } from '../black-box/http-call.ts';
import { rawResponse } from '../black-box/raw-response.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { encoded, headerTexts } from '../fuzz/odd-texts.ts';

/* Odd texts where no operation is called. In calls of operations they are in test/fuzz. */

const setup = useRelay();
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
afterAll(() => agent.destroy());

test('odd bytes in a request line and in header names are refused, and no fault of the relay', async () => {
  const failures: string[] = [];
  for (const path of ['/auth/link', '/dashboard/x', '/api/v1/requests', '/api/requests/x', '/auth/error'])
    for (const text of ['\x00', '\x80', '\xff\xfe', '\xed\xa0\x80', '\xc0\x80', 'é', '\x7f', '\x0b']) {
      for (const line of [`${path}?token=${text}`, `${path}/${text}`, `${path}?${text}=a`]) {
        const head = `GET ${line} HTTP/1.1\r\nhost: x\r\ncookie: a=${text}\r\nx-${text}: 1\r\nconnection: close\r\n\r\n`;
        for (const bytes of [head, head.replace(/x-.*: 1\r\n/s, '').replace(/cookie: .*\r\n/, '')]) {
          const { status } = await rawResponse(setup.relay.url, Buffer.from(bytes, 'latin1'));
          if (status >= 500) failures.push(`${status}: ${JSON.stringify(bytes)}`);
        }
      }
    }
  expect(failures).toEqual([]);
});

describe('an odd text at the hub is no fault of the hub', () => {
  test.each(['topic', 'authorization', 'lastEventId', 'other', '%00'])(
    'in the parameter %s',
    async (name) => {
      for (const text of encoded) {
        const topic = name === 'topic' ? '' : `topic=/svc/providers/${setup.alice.userId}&`;
        const response = await fetch(`${setup.relay.hubUrl}/?${topic}${name}=${text}`);
        await response.body?.cancel();
        expect([text, response.status < 500]).toEqual([text, true]);
      }
    },
  );

  test.each(['authorization', 'x-api-key', 'last-event-id', 'cookie', 'accept', 'origin'])(
    'in the header %s',
    async (name) => {
      for (const text of headerTexts) {
        const call = {
          method: 'GET',
          path: `/?topic=/svc/providers/${setup.alice.userId}`,
          headers: { [name]: text },
        };
        const response = await sendCall(setup.relay.hubUrl, call, agent);
        expect([text, response.status < 500]).toEqual([text, true]);
      }
    },
  );
});
