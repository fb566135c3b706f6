import { BoundedMap } from '../../../lib/boundedMap.ts'
import { keccakOfHex } from '../../../lib/bytes/keccak.ts'
import { nativeToken } from '../../../model/pool.ts'

/**
 * Ids of pairs without an address: keccak256 of a contract and two tokens. Cached, because hashing
 * is slow.
 */
export type PoolIds = {
  /** Id of a token's curve on a platform, paid in the native coin or another token. */
  curveOf(platform: string, token: string, quote: string): string
  /** Id of two tokens of a pool, named by address or by number in hex, in either order. */
  coupleOf(pool: string, couple: readonly [string, string]): string
}

type PoolIdsOptions = {
  /** Ids kept; the least recently used is evicted first. @default 4096 */
  entriesMax?: number | undefined
}

const tokenDigits = 40
// 20 zero bytes are the native coin, as in the currency order of Uniswap V4.
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
