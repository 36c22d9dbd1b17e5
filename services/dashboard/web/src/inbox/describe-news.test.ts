import { expect, test } from '@jest/globals';
import { requestRow } from '../testing/requests.ts';
import { describeNews } from './describe-news.ts';

test.each([
  [{ question: 'May I remove the lock file?' }, 'New request from build agent: May I remove the lock file?'],
  [{ question: '' }, 'New request from build agent'],
  [{ question: '', agent: { keyId: 'key', name: '' } }, 'New request from an agent'],
])('announces a request with %j as "%s"', (change, text) => {
  expect(describeNews({ kind: 'request', row: requestRow(1, change) })).toBe(text);
});
