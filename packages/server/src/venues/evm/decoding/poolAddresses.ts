import { keccakOfHex } from '../../../lib/bytes/keccak.ts'

// Some makers of pools place them where a hash of the two tokens says (CREATE2): then the address proves the tokens.

const digitsOf = (address: string) => address.slice(2)
const wordOf = (digits: string) => digits.padStart(64, '0')

/** The address of what a contract made with this salt of code with this hash. */
function placeOf(maker: string, salt: string, codeHash: string): string {
  const hash = keccakOfHex(`0xff${digitsOf(maker)}${digitsOf(salt)}${digitsOf(codeHash)}`)
  return `0x${hash.slice(26)}`
}

/** Pairs of Uniswap V2 and its forks: one for two tokens. */
export function pairAddress(
  maker: string,
  [token0, token1]: readonly [string, string],
  codeHash: string,
): string {
  return placeOf(maker, keccakOfHex(`0x${digitsOf(token0)}${digitsOf(token1)}`), codeHash)
}

/** Pools of Uniswap V3 and its forks: one for two tokens and a fee. */
export function feePoolAddress(
  maker: string,
  [token0, token1]: readonly [string, string],
  fee: number,
  codeHash: string,
): string {
  const words = [digitsOf(token0), digitsOf(token1), fee.toString(16)].map(wordOf)
  return placeOf(maker, keccakOfHex(`0x${words.join('')}`), codeHash)
}
