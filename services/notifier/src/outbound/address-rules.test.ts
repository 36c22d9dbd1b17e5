import { expect, test } from '@jest/globals';
import { createAddressRules, isSameAddress } from './address-rules.ts';

const rules = createAddressRules([]);

test.each([
  ['this network', '0.0.0.0'],
  ['this network, not its first address', '0.1.2.3'],
  ['private, class A', '10.0.0.1'],
  ['private, class B', '172.16.0.1'],
  ['private, the end of class B', '172.31.255.255'],
  ['private, class C', '192.168.1.1'],
  ['loopback', '127.0.0.1'],
  ['loopback, not its first address', '127.8.9.10'],
  ['link-local', '169.254.0.1'],
  ['the metadata service of most clouds', '169.254.169.254'],
  ['the metadata service of ECS tasks', '169.254.170.2'],
  ['the metadata service of Alibaba', '100.100.100.200'],
  ['the platform of Azure', '168.63.129.16'],
  ['the metadata service of Oracle', '192.0.0.192'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['protocol assignments', '192.0.0.8'],
  ['documentation 1', '192.0.2.1'],
  ['documentation 2', '198.51.100.1'],
  ['documentation 3', '203.0.113.1'],
  ['benchmarks', '198.18.0.1'],
  ['6to4 relays', '192.88.99.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['loopback in IPv6', '::1'],
  ['unspecified', '::'],
  ['loopback, mapped', '::ffff:127.0.0.1'],
  ['loopback, mapped in hexadecimal', '::ffff:7f00:1'],
  ['metadata, mapped', '::ffff:169.254.169.254'],
  ['the platform of Azure, mapped', '::ffff:168.63.129.16'],
  ['loopback, compatible', '::127.0.0.1'],
  ['loopback, translated', '::ffff:0:127.0.0.1'],
  ['metadata by NAT64', '64:ff9b::a9fe:a9fe'],
  ['metadata by local NAT64', '64:ff9b:1::a9fe:a9fe'],
  ['loopback by 6to4', '2002:7f00:1::'],
  ['loopback by Teredo', '2001:0:7f00:1::'],
  ['link-local in IPv6', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['a public address with a zone', '2606:4700::1111%eth0'],
  ['unique local', 'fc00::1'],
  ['unique local, assigned', 'fd12:3456::1'],
  ['the metadata service of AWS in IPv6', 'fd00:ec2::254'],
  ['site-local', 'fec0::1'],
  ['discard', '100::1'],
  ['documentation in IPv6', '2001:db8::1'],
  ['documentation 2 in IPv6', '3fff::1'],
  ['benchmarks in IPv6', '2001:2::1'],
  ['ORCHID', '2001:20::1'],
  ['segment routing', '5f00::1'],
  ['not assigned', '4000::1'],
  ['multicast in IPv6', 'ff02::1'],
  ['no address', 'example.com'],
  ['nothing', ''],
])('an address is not allowed: %s, %s', (_, address) => {
  expect(rules.isAllowed(address)).toBe(false);
});

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '168.63.129.17',
  '2606:4700::1111',
  '2a00:1450:4001::1',
])('a public address is allowed: %s', (address) => {
  expect(rules.isAllowed(address)).toBe(true);
  expect(rules.isInner(address)).toBe(false);
});

test("an operator's networks are allowed, in either form of their addresses, and nothing beside them", () => {
  const { isAllowed, isInner } = createAddressRules(['10.1.0.0/16', 'fd00:1::/32']);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00:1::5']) {
    expect([address, isAllowed(address), isInner(address)]).toEqual([address, true, true]);
  }
  for (const address of ['10.2.0.1', 'fd00:2::1', '127.0.0.1']) {
    expect([address, isAllowed(address), isInner(address)]).toEqual([address, false, false]);
  }
});

test.each([
  ['::ffff:127.0.0.1', '127.0.0.1', true],
  ['2606:4700:0::1', '2606:4700::1', true],
  ['127.0.0.1', '127.0.0.2', false],
  ['', '127.0.0.1', false],
])('%s and %s are the same address: %s', (one, other, isSame) => {
  expect(isSameAddress(one, other)).toBe(isSame);
});
