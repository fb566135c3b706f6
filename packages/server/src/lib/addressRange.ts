import { isIP } from 'node:net'

const bitsMax = { 4: 32, 6: 128 } as const

/** Is the text an IP address or a range such as 10.0.0.0/8? */
export function isAddressRange(text: string): boolean {
  const [network = '', bits, ...rest] = text.split('/')
  const version = isIP(network)
  if (version === 0 || rest.length > 0) return false
  if (bits === undefined) return true
  return /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax[version as 4 | 6]
}
