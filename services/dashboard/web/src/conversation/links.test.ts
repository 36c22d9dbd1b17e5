import { expect, test } from '@jest/globals';
import { readLink } from './links.ts';

test('a link shows its host unless its text is the host', () => {
  expect(readLink('https://relay.example/docs?a=1', 'the docs')).toEqual({
    href: 'https://relay.example/docs?a=1',
    target: 'relay.example',
  });
  expect(readLink('https://relay.example/docs', 'https://relay.example/docs')?.target).toBeUndefined();
  expect(readLink('https://relay.example:8443/', 'relay.example')?.target).toBe('relay.example:8443');
  expect(readLink('http://relay.example', 'relay.example')?.target).toBeUndefined();
});

test('a text that only looks like the host does not hide where the link leads', () => {
  const evil = 'https://evil.example/';
  expect(readLink(evil, 'https://bank.example')?.target).toBe('evil.example');
  expect(readLink('https://bank.example@evil.example/', 'https://bank.example@evil.example/')?.target).toBe(
    'evil.example',
  );
  // A Cyrillic a, and a mark that turns the direction.
  expect(readLink('https://xn--pple-43d.example/', 'https://аpple.example/')?.target).toBe(
    'xn--pple-43d.example',
  );
  expect(readLink(evil, '\u202ehttps://evil.example/')?.target).toBe('evil.example');
});

test('a mailbox is shown unless the text is the address', () => {
  expect(readLink('mailto:ann@relay.example?subject=x', 'Ann')?.target).toBe('ann@relay.example');
  expect(readLink('mailto:ann@relay.example', 'ann@relay.example')?.target).toBeUndefined();
});

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'blob:https://relay.example/1',
  'file:///etc/passwd',
  'ftp://relay.example/',
  '/logout',
  '//relay.example/x',
  '#top',
  '?q=1',
  'https:',
  'https://',
  '',
  'tel:+1',
])('%j is no link', (href) => {
  expect(readLink(href, 'text')).toBeUndefined();
});
