import { BlockList, isIP, isIPv4 } from 'node:net'

// Addresses of the machine, its network, reserved and multicast ranges (RFC 6890 and later).
const reserved4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

// IPv6 ranges that embed another address, and those for examples.
const reserved6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const blocked = new BlockList()
for (const [network, bits] of reserved4) blocked.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of reserved6) blocked.addSubnet(network, bits, 'ipv6')

const routed6 = new BlockList()
routed6.addSubnet('2000::', 3, 'ipv6')

/**
 * Is the address public on the internet? Anything that is not an address, and IPv4 written as IPv6,
 * is not.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  if (isIPv4(address)) return !blocked.check(address, 'ipv4')
  return routed6.check(address, 'ipv6') && !blocked.check(address, 'ipv6')
}
