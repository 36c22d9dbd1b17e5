import { expect, test } from '@jest/globals';
import { relayName } from './relay-name.ts';

test.each([
  ['http://localhost:8080', 'http://127.0.0.1:8080'],
  ['http://LOCALHOST:8080', 'http://127.0.0.1:8080'],
  ['http://[::1]:8080', 'http://127.0.0.1:8080'],
  ['http://[0:0:0:0:0:0:0:1]:8080', 'http://127.0.0.1:8080'],
  ['https://relay.example:443', 'https://relay.example'],
  ['HTTPS://Relay.Example', 'https://relay.example'],
  ['https://bücher.example/relay', 'https://xn--bcher-kva.example/relay'],
])('%s is the relay at %s', (spelling, url) => expect(relayName(spelling)).toBe(relayName(url)));

test.each([
  'http://127.0.0.1:8081',
  'https://127.0.0.1:8080',
  'http://127.0.0.2:8080',
  'http://localhost.example:8080',
  'http://127.0.0.1:8080/other',
])('%s is another relay', (url) => expect(relayName(url)).not.toBe(relayName('http://localhost:8080')));
