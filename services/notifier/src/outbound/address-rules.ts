import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.process>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Where deliveries may go. */
export interface AddressRules {
  /** Whether an address may be connected to: it is public, or the operator allows its network. */
  isAllowed(address: string): boolean;
  /** Whether the operator allows its network. There, plain http and other ports are allowed too. */
  isInner(address: string): boolean;
  readonly hasInner: boolean;
}

/** The virtual address of Azure's platform, which is a public one. */
const azurePlatform = '168.63.129.16';

/** The only part of IPv6 that is assigned to the internet. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

export function createAddressRules(allowedNetworks: readonly string[]): AddressRules {
  const inner = allowedNetworks.map((text) => ipaddr.parseCIDR(text));
  const parse = (text: string): Address | undefined =>
    ipaddr.isValid(text) && !text.includes('%') ? ipaddr.process(text) : undefined;
  const isInner = (address: Address) => inner.some((network) => contains(network, address));
  return {
    hasInner: inner.length > 0,
    isInner(text) {
      const address = parse(text);
      return address !== undefined && isInner(address);
    },
    isAllowed(text) {
      const address = parse(text);
      return address !== undefined && (isInner(address) || isPublic(address));
    },
  };
}

function isPublic(address: Address): boolean {
  // Such as private, loopback, link-local, carrier-grade NAT, multicast, documentation, 6to4, Teredo and NAT64.
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv4') return address.toString() !== azurePlatform;
  return contains(globalUnicast, address);
}

function contains([network, bits]: Network, address: Address): boolean {
  return network.kind() === address.kind() && address.match([network, bits] as Network as never);
}

/** Whether two texts are the same address, which may be written in two ways. */
export const isSameAddress = (one: string, other: string): boolean =>
  ipaddr.isValid(one) &&
  ipaddr.isValid(other) &&
  ipaddr.process(one).toString() === ipaddr.process(other).toString();
