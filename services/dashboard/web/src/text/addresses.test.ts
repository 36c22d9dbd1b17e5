import { expect, test } from '@jest/globals';
import { readAddress } from './addresses.ts';

test.each([
  ['https://relay.example/docs?a=1&amp;b=%20', 'https://relay.example/docs?a=1&amp;b=%20'],
  ['http://relay.example', 'http://relay.example/'],
  ['HTTPS://Relay.Example:8443/_a_', 'https://relay.example:8443/_a_'],
  ['mailto:ann@relay.example?bcc=bob@relay.example', 'mailto:ann@relay.example?bcc=bob@relay.example'],
])('%j is a link', (address, href) => {
  expect(readAddress(address)).toBe(href);
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
  'relay.example',
  `https://relay.example/${'x'.repeat(2_000)}`,
])('%j is no link', (address) => {
  expect(readAddress(address)).toBeUndefined();
});

test.each([
  ['a host behind a name', 'https://bank.example@evil.example/'],
  ['a backslash that the browser reads as a slash', 'https://evil.example\\@bank.example/'],
  ['letters that look like others', 'https://аpple.example/'],
  ['a host that the browser changes', 'http://2130706433/'],
  ['one slash, which the browser completes', 'https:/evil.example'],
  ['a mark that turns the direction', '\u202ehttps://evil.example/'],
  ['dots that the browser decodes', 'https://evil%2eexample/'],
])('an address with %s is no link, since it does not say where it leads', (_, address) => {
  expect(readAddress(address)).toBeUndefined();
});
