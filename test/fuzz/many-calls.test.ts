import { expect, test } from '@jest/globals';
import { useRelay } from '../black-box/use-relay.ts';
import { makeDrawnCalls, makeOddCalls } from './make-calls.ts';

const here = useRelay();
const count = Number(process.env.RELAY_FUZZ_CALLS ?? 4_000);

test(`${count} hostile calls: no 5xx, no hang, only responses that openapi.yaml allows`, async () => {
  expect((await makeDrawnCalls(here, count)).slice(0, 5)).toEqual([]);
  expect((await here.relay.anonymous.get('/api/health')).json.status).toBe('ok');
});

test('calls with an odd text in one place: no 5xx, only responses that openapi.yaml allows', async () => {
  expect((await makeOddCalls(here, 5)).slice(0, 5)).toEqual([]);
});
