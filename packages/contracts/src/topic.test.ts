import { describe, expect, test } from '@jest/globals';
import { formatTopic, parseTopic, type Topic } from './topic.ts';

const userId = '3f2b8a1c-5d4e-4f60-9a7b-0c1d2e3f4a5b';
const requestId = 'q83vEjRWeJASNFZ4kKvN7w';

describe('topics', () => {
  test.each<[string, Topic]>([
    [`/svc/providers/${userId}`, { kind: 'provider', userId }],
    [`/svc/providers/${userId}/activity`, { kind: 'activity', userId }],
    [`/svc/requests/${requestId}`, { kind: 'request', requestId }],
  ])('%s is written and read', (text, topic) => {
    expect(formatTopic(topic)).toBe(text);
    expect(parseTopic(text)).toEqual(topic);
  });

  test.each([
    '',
    '/',
    'relay.v1.>',
    '/svc/providers/',
    '/svc/requests/',
    `svc/requests/${requestId}`,
    ` /svc/requests/${requestId}`,
    `/svc/requests/${requestId}\n`,
    `/svc/requests/${requestId}/`,
    `/svc/requests/${requestId}/activity`,
    `/svc/requests/${requestId}x`,
    `/svc/requests/${requestId.slice(1)}`,
    `/svc/requests/*`,
    `/svc/requests/{id}`,
    `/svc/requests/${userId}`,
    `/svc/providers/${requestId}`,
    `/svc/providers/${userId.toUpperCase()}`,
    `/svc/providers/${userId}/`,
    `/svc/providers/${userId}/activity/`,
    `/svc/providers/${userId}/Activity`,
    `/svc/providers/../requests/${requestId}`,
    `/svc/%72equests/${requestId}`,
  ])('refuses %j', (text) => {
    expect(parseTopic(text)).toBeUndefined();
  });
});
