import { BlockList, isIP } from 'node:net'

// An IPv4 range also covers its addresses in IPv6 form (::ffff:127.0.0.1).
const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/** Is it an address or name of this machine? */
export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^\[|\]$/g, '')
  const version = isIP(bare)
  if (version !== 0) return loopback.check(bare, version === 6 ? 'ipv6' : 'ipv4')
  return bare === 'localhost' || bare.endsWith('.localhost')
}
