import type { IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { createLog } from '../log/index.ts';
import { createClientAddress, networkOf } from './client-address.ts';

const silent = createLog('test', { level: 'silent' });
const call = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe('the address of a client', () => {
  const addressOf = createClientAddress({
    trustedProxies: ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'],
    log: silent,
  });

  test.each([
    ['without a proxy', '203.0.113.5', undefined, '203.0.113.5'],
    ['from a client that claims another address', '203.0.113.5', '1.1.1.1', '203.0.113.5'],
    ['from a trusted proxy', '10.1.2.3', '203.0.113.5', '203.0.113.5'],
    ['behind two trusted proxies', '10.1.2.3', '203.0.113.5, 192.0.2.1', '203.0.113.5'],
    ['without an address that the client added itself', '10.1.2.3', '1.1.1.1, 203.0.113.5', '203.0.113.5'],
    ['up to a text that is not an address', '10.1.2.3', '203.0.113.5, unknown, 10.9.9.9', '10.9.9.9'],
    ['of a trusted proxy itself', '10.1.2.3', '10.4.4.4', '10.4.4.4'],
    ['IPv4 over an IPv6 socket', '::ffff:10.1.2.3', '::ffff:203.0.113.5', '203.0.113.5'],
    ['IPv6 behind an IPv6 proxy', '2001:db8::1', '2001:dead::5', '2001:dead::5'],
    ['with a port', '10.1.2.3', '203.0.113.5:4711', '203.0.113.5'],
    ['IPv6 with a port', '10.1.2.3', '[2001:dead::5]:4711, [2001:db8::1]', '2001:dead::5'],
    ['with a zone', 'fe80::1%eth0', undefined, 'fe80::1'],
    ['in another spelling', '2001:db8::1', '2001:DEAD:0:0:0:0:0:5', '2001:dead::5'],
    ['up to an address in octal', '10.1.2.3', '203.0.113.5, 010.1.2.3, 10.9.9.9', '10.9.9.9'],
    ['up to an address in short', '10.1.2.3', '203.0.113.5, 10.1, 10.9.9.9', '10.9.9.9'],
  ])('%s', (_, remote, forwarded, expected) => {
    expect(addressOf(call(remote, forwarded))).toBe(expected);
  });

  test('a warning about an untrusted header is logged once', () => {
    const lines: string[] = [];
    const destination = new Writable({
      write(line, _encoding, done) {
        lines.push(String(line));
        done();
      },
    });
    const addressOf = createClientAddress({
      trustedProxies: [],
      log: createLog('test', { level: 'warn', destination }),
    });
    addressOf(call('203.0.113.5', '1.1.1.1'));
    addressOf(call('203.0.113.6', '1.1.1.1'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('RELAY_TRUSTED_PROXIES');
  });

  test.each([
    '10.0.0.0/33',
    'proxy.example',
    '1.2.3',
    '1.2.3/8',
    '010.0.0.0/8',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/x',
    '::1/129',
  ])('%s is refused as a proxy', (entry) => {
    expect(() => createClientAddress({ trustedProxies: [entry], log: silent })).toThrow(
      /RELAY_TRUSTED_PROXIES/,
    );
  });
});

test.each([
  ['203.0.113.5', '203.0.113.5'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::6', '2001:db8:1:2::/64'],
  ['2001:db8::7', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1:2:3:4:5', 'fe80:0:0:1::/64'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
