import type { MarketReads } from '../../packages/server/src/engine/marketReads.ts'
import type { TokenSupply } from '../../packages/server/src/model/token.ts'
import { createDifferences, type Differences, priceErrorMax } from './differences.ts'
import type { RecomputedToken } from './market.ts'
import { multiply, rational, rationalOf, scaleByTen } from './rational.ts'

/**
 * Compares supply, market cap and fully diluted value of a token. Holders are compared separately.
 */
export function compareToken(token: RecomputedToken, reads: MarketReads): string[] {
  const differences = createDifferences(`Token ${token.address}`)
  const tokenId = reads.findToken(token.address)
  if (tokenId === undefined) return [`Token ${token.address} is not known to the service.`]
  const { record, supply, price, fdvUsd, marketCapUsd } = reads.tokenState(tokenId)
  differences.same('decimals', token.decimals, record.decimals)
  compareSupply(differences, token, supply)
  // Valued at the service's own price, which is compared elsewhere.
  const usd = rationalOf(price?.usd ?? 0)
  const worth = (amount: bigint) => multiply(scaleByTen(rational(amount), -token.decimals), usd)
  const issued = token.supply - token.parts.burnt - token.parts.other
  differences.near('fdvUsd', worth(issued), fdvUsd, priceErrorMax)
  differences.near('marketCapUsd', worth(issued - token.parts.locked), marketCapUsd, priceErrorMax)
  return differences.sentences
}

export function compareSupply(
  differences: Differences,
  token: RecomputedToken,
  supply: Omit<TokenSupply, 'tokenId'> | null | undefined,
): void {
  differences.same('total supply', token.supply, supply?.total ?? null)
  for (const part of ['burnt', 'locked', 'other'] as const)
    differences.same(part, token.parts[part], supply?.[part] ?? null)
  differences.same('holder count', token.holders.size, supply?.holders ?? null)
  differences.same('completeness', 'true', String(supply?.isComplete))
}

/** `actual`: balances of wallets by the service. */
export function compareHolders(
  token: RecomputedToken,
  actual: ReadonlyMap<string, bigint>,
): string[] {
  const differences = createDifferences(`Token ${token.address}`)
  const wallets = token.isWhole ? [...token.holders.keys(), ...actual.keys()] : token.wallets.keys()
  for (const wallet of new Set(wallets)) {
    const expected = token.holders.get(wallet) ?? 0n
    differences.same(`balance of ${wallet}`, expected, actual.get(wallet) ?? 0n)
  }
  return differences.sentences
}
