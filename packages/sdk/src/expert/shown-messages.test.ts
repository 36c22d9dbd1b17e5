import { afterEach, expect, jest, test } from '@jest/globals';
import { createMemoryStore } from '../store.ts';
import { createShownMessages } from './shown-messages.ts';

afterEach(() => void jest.restoreAllMocks());

test('the first time counts, but none of a clock that was set back since', async () => {
  const shown = createShownMessages(createMemoryStore());
  const clock = jest.spyOn(Date, 'now');
  clock.mockReturnValue(5_000);
  await shown.mark('r', ['a']);
  clock.mockReturnValue(6_000);
  await shown.mark('r', ['a', 'b']);
  expect(await shown.before('r', 5_001)).toEqual(['a']);
  clock.mockReturnValue(1_000);
  await shown.mark('r', ['b']);
  expect(await shown.before('r', 1_001)).toEqual(['b']);
});
