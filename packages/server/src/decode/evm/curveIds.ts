import { keccak256 } from 'viem/utils'

/** Pool id of a token's curve on a platform. Hashing is slow, so ids are remembered up to a limit. */
export type CurveIds = { idOf(platform: string, token: string): string }

export type CurveIdsOptions = {
  /** Ids kept; the least recently used goes first. @default 4096 */
  entriesMax?: number | undefined
}

// 20 zero bytes stand for the native coin, as in the currency order of Uniswap V4.
const nativeDigits = '0'.repeat(40)

export function createCurveIds({ entriesMax = 4_096 }: CurveIdsOptions = {}): CurveIds {
  /** Least recently used first. */
  const ids = new Map<string, string>()

  return {
    idOf(platform, token) {
      const parts = `${platform}${token.slice(2)}${nativeDigits}`
      const known = ids.get(parts)
      if (known !== undefined) {
        ids.delete(parts)
        ids.set(parts, known)
        return known
      }
      const id = keccak256(parts as `0x${string}`)
      ids.set(parts, id)
      if (ids.size > entriesMax) ids.delete(ids.keys().next().value!)
      return id
    },
  }
}
