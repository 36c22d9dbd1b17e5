import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import type { Principal } from '../principal/index.ts';
import { queuePerUser, type UserQueue } from './queue-per-user.ts';

const secret = { createdAt: 0 };
const ada: Principal = { kind: 'consumer', apiKeyId: 'agent', userId: 'ada', secret };
const adaToo: Principal = { kind: 'session', sessionId: 'laptop', userId: 'ada', begunAt: 0, endsAt: 0 };
const bob: Principal = { kind: 'consumer', apiKeyId: 'agent', userId: 'bob', secret };

const response = () => new EventEmitter() as ServerResponse;

/** Calls that note when they begin. Each runs until its end is called. */
function openCalls(begin: UserQueue) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const call = async (name: string, caller: Principal, of = response(), isHeavy = false) => {
    ends.set(name, await begin(caller, of, { isHeavy }));
    begun.push(name);
  };
  return { begun, call, end: (name: string) => ends.get(name)?.() };
}

const settled = () => new Promise(setImmediate);

describe('of one user', () => {
  test('some calls run at once, with all keys and sessions together, and the others begin in their order', async () => {
    const { begun, call, end } = openCalls(queuePerUser(2));
    for (const [name, caller] of [
      ['1', ada],
      ['2', adaToo],
      ['3', ada],
      ['4', adaToo],
    ] as const)
      void call(name, caller);
    await settled();
    expect(begun).toEqual(['1', '2']);
    end('2');
    // The end of a call counts once.
    end('2');
    await settled();
    expect(begun).toEqual(['1', '2', '3']);
    end('1');
    await settled();
    expect(begun).toEqual(['1', '2', '3', '4']);
    for (const name of ['3', '4']) end(name);
    await Promise.all([call('5', ada), call('6', ada)]);
  });

  test('a call whose client leaves does not begin, and the next one does', async () => {
    const { begun, call, end } = openCalls(queuePerUser(1));
    await call('1', ada);
    const left = response();
    const second = call('2', ada, left);
    void call('3', ada);
    left.emit('close');
    await expect(second).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
    end('1');
    await settled();
    expect(begun).toEqual(['1', '3']);
  });

  test('a call that waits for too long is refused', async () => {
    const { begun, call } = openCalls(queuePerUser(1, { patienceMs: 20 }));
    await call('1', ada);
    await expect(call('2', ada)).rejects.toMatchObject({
      code: 'unavailable',
      headers: { 'retry-after': '2' },
    });
    expect(begun).toEqual(['1']);
  });
});

describe('heavy calls of one user', () => {
  const heavy = (calls: ReturnType<typeof openCalls>, name: string, caller = ada) =>
    calls.call(name, caller, response(), true);

  test.each([1, 2, 3, 8])('run one after another, with a limit of %d', async (limit) => {
    const calls = openCalls(queuePerUser(limit));
    for (const name of ['1', '2', '3']) void heavy(calls, name);
    await settled();
    for (const name of ['1', '2', '3']) {
      expect(calls.begun.at(-1)).toBe(name);
      calls.end(name);
      await settled();
    }
    expect(calls.begun).toEqual(['1', '2', '3']);
  });

  test('leave room for others, which pass by a heavy one that waits', async () => {
    const calls = openCalls(queuePerUser(8));
    void heavy(calls, 'search');
    void heavy(calls, 'waits');
    for (const name of ['a', 'b', 'c', 'd']) void calls.call(name, adaToo);
    void heavy(calls, 'of bob', bob);
    await settled();
    expect(calls.begun).toEqual(['search', 'a', 'b', 'c', 'of bob']);
    calls.end('a');
    await settled();
    expect(calls.begun.at(-1)).toBe('d');
    for (const name of ['b', 'c', 'd', 'search']) calls.end(name);
    await settled();
    expect(calls.begun.at(-1)).toBe('waits');
  });
});

test('calls of other users, and of callers without a user, do not wait for these', async () => {
  const { begun, call, end } = openCalls(queuePerUser(1));
  await call('1', ada);
  const second = call('2', ada);
  await Promise.all([call('3', bob), call('4', { kind: 'hub' }), call('5', { kind: 'hub' })]);
  expect(begun).toEqual(['1', '3', '4', '5']);
  end('1');
  await second;
});
