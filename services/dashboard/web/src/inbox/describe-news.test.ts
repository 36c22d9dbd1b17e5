import { expect, test } from '@jest/globals';
import { requestRow } from '../testing/requests.ts';
import { describeNews } from './describe-news.ts';

test.each([
  [
    { question: 'May I remove the lock file?' },
    'New request from key: build agent: May I remove the lock file?',
  ],
  [{ question: '' }, 'New request from key: build agent'],
  [{ question: '', agent: undefined }, 'New request from an agent'],
  [{ question: 'May I?', agent: undefined }, 'New request from an agent: May I?'],
])('announces a request with %j as "%s"', (change, text) => {
  expect(describeNews('request', requestRow(1, change))).toBe(text);
});
