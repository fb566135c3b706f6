import { encodeAbiParameters, parseAbiParameters } from 'viem'

/** Returns the address in a 32-byte word; null if it holds none or the zero address. */
export function addressOfWord(data: string): string | null {
  const match = /^0x0{24}([0-9a-f]{40})$/i.exec(data)
  if (match === null || /^0+$/.test(match[1]!)) return null
  return `0x${match[1]!.toLowerCase()}`
}

/** Also returns the zero address, which stands for a renounced owner. */
export function anyAddressOfWord(data: string): string | null {
  return /^0x0{64}$/.test(data) ? `0x${'0'.repeat(40)}` : addressOfWord(data)
}

/** Null if the answer does not begin with one number. */
export function uintOfWord(data: string): bigint | null {
  return /^0x[0-9a-f]{64}/i.test(data) ? BigInt(data.slice(0, 66)) : null
}

export function addressWord(address: string): string {
  return address.slice(2).padStart(64, '0')
}

export const tokenSelector = {
  totalSupply: '0x18160ddd',
  balanceOf: '0x70a08231',
  transfer: '0xa9059cbb',
  decimals: '0x313ce567',
} as const

export function balanceOfData(owner: string): string {
  return tokenSelector.balanceOf + addressWord(owner)
}

export function transferData(to: string, amount: bigint): string {
  const parameters = parseAbiParameters('address, uint256')
  const args = encodeAbiParameters(parameters, [to as `0x${string}`, amount])
  return tokenSelector.transfer + args.slice(2)
}
