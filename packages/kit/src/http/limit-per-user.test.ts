import { expect, test } from '@jest/globals';
import type { Principal } from '../principal/index.ts';
import { limitPerUser } from './limit-per-user.ts';

const key = (apiKeyId: string, userId = 'ada'): Principal => ({ kind: 'consumer', apiKeyId, userId });
const expert: Principal = { kind: 'provider', apiKeyId: 'expert', userId: 'ada' };
const session: Principal = { kind: 'session', sessionId: 'laptop', userId: 'ada' };

/** Begins work until it is refused. Returns the functions that end it. */
function useUp(begin: (caller: Principal) => () => void, caller: Principal): (() => void)[] {
  const ends: (() => void)[] = [];
  try {
    for (;;) ends.push(begin(caller));
  } catch (error) {
    expect(error).toMatchObject({ code: 'too_many_at_once', headers: { 'retry-after': '60' } });
    return ends;
  }
}

test('one key gets three quarters of the limit, and all keys and sessions of its user share the rest', () => {
  const begin = limitPerUser(16, 'long answers');
  expect(useUp(begin, key('one'))).toHaveLength(12);
  expect(useUp(begin, key('two'))).toHaveLength(4);
  for (const caller of [key('three'), expert, session]) expect(useUp(begin, caller)).toHaveLength(0);
  // Another user is not limited by this.
  expect(useUp(begin, key('four', 'bob'))).toHaveLength(12);
});

test('forty keys of one user get no more than one user', () => {
  const begin = limitPerUser(16, 'long answers');
  const begun = Array.from({ length: 40 }, (_, at) => useUp(begin, key(`key ${at}`)).length);
  expect(begun.reduce((sum, count) => sum + count, 0)).toBe(16);
});

test('work that has ended, once or twice, makes room for as much again', () => {
  const begin = limitPerUser(4, 'searches');
  for (let round = 0; round < 3; round++) {
    const [one, ...others] = [...useUp(begin, session), ...useUp(begin, expert)];
    expect(others).toHaveLength(3);
    one?.();
    one?.();
    const again = useUp(begin, session);
    expect(again).toHaveLength(1);
    for (const end of [...others, ...again]) end();
  }
});

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [4, 3],
])('a limit of %d leaves one key %d', (limit, ofOne) => {
  expect(useUp(limitPerUser(limit, 'searches'), session)).toHaveLength(ofOne);
});

test('0 is no limit, and callers without a user are not counted', () => {
  const off = limitPerUser(0, 'searches');
  const begin = limitPerUser(1, 'searches');
  const beginAll = () => {
    for (let count = 0; count < 100; count++) {
      off(session);
      begin({ kind: 'signin' });
    }
  };
  expect(beginAll).not.toThrow();
});
