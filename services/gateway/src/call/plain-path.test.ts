import { expect, test } from '@jest/globals';
import { plainPath } from './route-finder.ts';

test.each([
  ['/', '/'],
  ['/dashboard/', '/dashboard/'],
  ['/api/v1/help', '/api/v1/help'],
  ['/api/v1/requests?status=pending&after=a%2Fb', '/api/v1/requests'],
  ['/auth/callback?next=//evil.example/..', '/auth/callback'],
  ['/api/v1/help/aZ0-_~a', '/api/v1/help/aZ0-_~a'],
  ['/dashboard/assets/index-D4f.min.js', '/dashboard/assets/index-D4f.min.js'],
  ['/dashboard/caf%C3%A9', '/dashboard/caf%C3%A9'],
  ['/.well-known/expert-relay', '/.well-known/expert-relay'],
])('%s is plain', (target, path) => {
  expect(plainPath(target)).toBe(path);
});

test.each([
  ['two slashes', '//api/v1/help'],
  ['two slashes inside', '/api//v1/help'],
  ['a dot segment', '/dashboard/../internal/keys'],
  ['a single dot', '/api/./v1/help'],
  ['a hidden file', '/.git/config'],
  ['another folder that begins like a known one', '/.well-known-not/expert-relay'],
  ['a known folder further in', '/api/.well-known/expert-relay'],
  ['an encoded dot segment', '/dashboard/%2e%2E/internal/keys'],
  ['a dot segment that is encoded in part', '/dashboard/.%2e/internal'],
  ['an encoded slash', '/api/v1/help/a%2Fb'],
  ['an encoded backslash', '/api/v1/help/a%5cb'],
  ['a backslash', '/api\\v1\\help'],
  ['an encoded percent sign', '/api/v1/help/%252e'],
  ['NUL', '/api/v1/help/%00'],
  ['a line end', '/api/v1/help/%0d%0a'],
  ['a parameter of a segment', '/api/v1/help;x=1'],
  ['invalid escapes', '/api/v1/help/%E0%A4%A'],
  ['bytes that are not UTF-8', '/api/v1/help/%ff'],
  ['a fragment', '/api/v1/help#x'],
  ['a fragment in the query', '/api/v1/help?x#y'],
  ['the absolute form', 'http://relay.example/api/v1/help'],
  ['the asterisk form', '*'],
  ['an empty target', ''],
])('%s is not plain', (_, target) => {
  expect(plainPath(target)).toBeUndefined();
});

test('a long path is checked quickly', () => {
  const { user: before } = process.cpuUsage();
  // Much longer than a head may be: quadratic time would be minutes.
  plainPath(`/${'a.'.repeat(400_000)}/%`);
  plainPath(`${'/a'.repeat(400_000)}//`);
  expect(process.cpuUsage().user - before).toBeLessThan(5_000_000);
});
