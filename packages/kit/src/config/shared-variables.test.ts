import { expect, test } from '@jest/globals';
import { isLoopback, siteOrigins } from './index.ts';

test.each([
  ['https://relay.example/', ['https://relay.example']],
  ['https://relay.example:8443/path', ['https://relay.example:8443']],
  ['https://localhost.example', ['https://localhost.example']],
  ['http://localhost:8080', ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080']],
  ['http://127.0.0.1:8080/', ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080']],
  [
    'http://127.0.0.2:81',
    ['http://127.0.0.2:81', 'http://localhost:81', 'http://127.0.0.1:81', 'http://[::1]:81'],
  ],
  ['https://[::1]', ['https://[::1]', 'https://localhost', 'https://127.0.0.1']],
  ['http://localhost:80', ['http://localhost', 'http://127.0.0.1', 'http://[::1]']],
])('the origins of %s', (publicUrl, origins) => {
  expect(siteOrigins(publicUrl)).toEqual(origins);
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['::', false],
  ['127.0.0.1.example', false],
  ['localhost.example', false],
  ['10.0.0.1', false],
])('%s is a loopback name: %p', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
