import { BoundedMap } from '../../../lib/boundedMap.ts'
import { keccakOfHex } from '../../../lib/bytes/keccak.ts'
import { nativeToken } from '../../../model/pool.ts'

/** Ids of pairs that have no address: keccak256 of a contract and two tokens. Hashing is slow, so they are remembered. */
export type PoolIds = {
  /** A token's curve on a platform, in the native coin or in another token. */
  curveOf(platform: string, token: string, quote: string): string
  /** Two of a pool's tokens as its events name them, by addresses or by numbers in hex, in either order. */
  coupleOf(pool: string, couple: readonly [string, string]): string
}

export type PoolIdsOptions = {
  /** Ids kept; the least recently used goes first. @default 4096 */
  entriesMax?: number | undefined
}

const tokenDigits = 40
// 20 zero bytes stand for the native coin, as in the currency order of Uniswap V4.
const nativeDigits = '0'.repeat(tokenDigits)

export function createPoolIds({ entriesMax = 4_096 }: PoolIdsOptions = {}): PoolIds {
  const ids = new BoundedMap<string, string>(entriesMax)

  function idOf(parts: string): string {
    const known = ids.use(parts)
    if (known !== undefined) return known
    const id = keccakOfHex(parts)
    ids.set(parts, id)
    return id
  }

  return {
    curveOf(platform, token, quote) {
      const quoteDigits = quote === nativeToken ? nativeDigits : quote.slice(2)
      return idOf(`${platform}${token.slice(2)}${quoteDigits}`)
    },
    coupleOf(pool, [one, other]) {
      const [first, second] = [digitsOf(one), digitsOf(other)].sort()
      return idOf(`${pool}${first}${second}`)
    },
  }
}

function digitsOf(token: string): string {
  return token.slice(2).padStart(tokenDigits, '0')
}
