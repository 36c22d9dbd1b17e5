import { expect, test } from '@jest/globals';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();

test(row('decisions', 'health'), async () => {
  const before = Date.now();
  const { status, json } = await setup.relay.anonymous.get('/api/health');
  expect(status).toBe(200);
  expect(json).toEqual({
    status: 'ok',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    timestamp: expect.any(String),
  });
  expect(Math.abs(Date.parse(json.timestamp) - before)).toBeLessThan(60_000);
});

test('HEAD /api/health: the same headers without a body', async () => {
  const head = await setup.relay.call({ method: 'HEAD', path: '/api/health' });
  const get = await setup.relay.anonymous.get('/api/health');
  expect(head.status).toBe(200);
  expect(head.text).toBe('');
  expect(Object.keys(head.headers).sort()).toEqual(Object.keys(get.headers).sort());
});
