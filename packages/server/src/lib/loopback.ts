import { isIPv4, isIPv6 } from 'node:net'

/** Is this the address of the machine itself? Takes what a config or a socket says, a name among it. */
export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^\[|\]$/g, '')
  if (isIPv4(bare)) return bare.startsWith('127.')
  if (isIPv6(bare)) return /^(0*:)*:?0*1$/.test(bare) || /^::ffff:127\./.test(bare)
  return bare === 'localhost' || bare.endsWith('.localhost')
}
