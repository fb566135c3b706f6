import type { SolanaAccount } from '../../chain/solana/accounts.ts'
import type { LpFacts } from '../riskReport.ts'

/**
 * Meteora's DAMM v2: liquidity is in positions, and the pool counts the part that is locked for
 * good.
 */
export const lockedVenue = 'meteoraDammV2'

const program = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG'
const poolTag = 0xf19a6d0411b16dbcn
const poolBytes = 1_112
const [liquidityAt, lockedAt] = [360, 552]
// Owners of the other positions are not read. They do not matter up to one part in this many of the
// whole.
const unknownDivisorMin = 20n

/** Null if the account is not such a pool, or is empty. */
export function lockedLiquidity(pair: string, { owner, data }: SolanaAccount): LpFacts | null {
  if (owner !== program || data.length < poolBytes) return null
  if (data.readBigUInt64BE(0) !== poolTag) return null
  const [totalRaw, lockedRaw] = [liquidityAt, lockedAt].map((at) => readU128(data, at)) as [
    ...[bigint, bigint],
  ]
  if (totalRaw === 0n || lockedRaw > totalRaw) return null
  const isKnown = (totalRaw - lockedRaw) * unknownDivisorMin <= totalRaw
  return {
    pair,
    totalRaw,
    isSupply: false,
    decimals: 0,
    holders: [],
    holderCount: null,
    burntRaw: isKnown ? 0n : null,
    lockedRaw: isKnown ? lockedRaw : null,
    makerRaw: null,
  }
}

function readU128(data: Buffer, at: number): bigint {
  return data.readBigUInt64LE(at) + (data.readBigUInt64LE(at + 8) << 64n)
}
