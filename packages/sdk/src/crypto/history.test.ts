import { expect, test } from '@jest/globals';
import { toBase64 } from './base64.ts';
import { openHistory } from './history.ts';

/* A message that was encrypted here, is not listed, and may never be sent: the expert's text that is held. */

const hash = (number: number) => new Uint8Array(32).fill(number);
const name = (number: number) => toBase64(hash(number));
const [first, other, own, next] = [1, 2, 3, 4] as const;

/** The agent's message, an answer of another device, and a text that links to both. */
function withText(...links: readonly number[]) {
  const history = openHistory();
  history.accept(hash(first), [], false);
  history.accept(hash(other), [hash(first)], true);
  history.seal(hash(own), links.map(hash));
  return history;
}
const missing = expect.objectContaining({ reason: 'message_missing' });

test('what it links to is an end again: a relay that hides that is found out later', () => {
  const history = withText(first, other);
  expect(history.state().ends).toEqual([name(own)]);
  expect(history.forgetLast()).toBe(true);
  expect(history.state().ends).toEqual([name(other)]);
  expect(history.links(undefined)).toEqual([hash(other)]);
  expect(history.links([name(first)])).toEqual([hash(first)]);
});

test('a listed message that links to it shows that the other side has it: it is not forgotten', () => {
  const history = withText(first);
  history.accept(hash(next), [hash(own)], false);
  expect(history.forgetLast()).toBe(false);
  expect(history.state().unlisted).toEqual([name(own)]);
});

test('a message that links to it, and a list without it: refused', () => {
  const history = withText(first);
  history.forgetLast();
  expect(() => history.accept(hash(next), [hash(own)], false)).toThrow(missing);
});

test.each(['as it was', 'after a restart'])(
  'it arrives after all, before or behind the next one, %s',
  (when) => {
    for (const order of [
      [own, next],
      [next, own],
    ]) {
      const before = withText(first);
      before.forgetLast();
      before.seal(hash(next), [hash(first)]);
      const state = JSON.parse(JSON.stringify(before.state()));
      const history = when === 'as it was' ? before : openHistory(state);
      for (const one of order) expect(history.accept(hash(one), [hash(first)], true)).toBe(true);
      expect([...history.state().ends].sort()).toEqual([name(other), name(own), name(next)].sort());
      expect(history.state()).not.toHaveProperty('forgotten');
    }
  },
);

test('it never arrives: later ones are accepted, also after a restart', () => {
  const before = withText(first);
  before.forgetLast();
  before.seal(hash(next), [hash(first)]);
  const history = openHistory(before.state());
  history.seal(hash(5), [hash(next)]);
  for (const one of [next, 5]) expect(history.accept(hash(one), [], true)).toBe(true);
});
