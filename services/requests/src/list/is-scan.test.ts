import { randomUUID } from 'node:crypto';
import type { Party } from '@expert-relay/db';
import { expect, test } from '@jest/globals';
import { isScan } from './read-page.ts';

const ids = { userId: randomUUID(), apiKeyId: randomUUID(), sessionId: randomUUID() };
const times = { secret: { createdAt: 0 }, begunAt: 0, endsAt: 0 };

test.each([
  ['consumer', 'status=closed', true],
  ['consumer', 'status=pending', true],
  ['consumer', 'filter=waiting', true],
  ['consumer', 'q=x', true],
  ['provider', 'q=x', true],
  ['provider', 'q=x&filter=ended', true],
  ['session', 'q=x&status=closed', true],
  ['session', 'filter=waiting&tag=x', true],
  ['provider', 'keyId=x', true],
  ['consumer', 'limit=2', false],
  ['provider', 'status=closed', false],
  ['session', 'filter=ended&status=expired', false],
  ['session', 'q=', false],
  ['session', '', false],
])('a list of a %s with "%s" is a scan: %s', (kind, query, expected) => {
  expect(isScan({ kind, ...ids, ...times } as Party, new URLSearchParams(query))).toBe(expected);
});
