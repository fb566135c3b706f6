import { formatId } from '@chaintape/protocol'
import type { MarketReads } from '../../engine/marketReads.ts'
import type { GatewayChain, GatewayChains } from '../gatewayChain.ts'

/** Things of the running market that examples speak of; empty texts while there is nothing to show. */
export type ExampleMarket = {
  chain: string
  tokenIds: readonly string[]
  tokenAddress: string
  pairId: string
  symbol: string
  platform: string
}

const tokensShown = 2
// The main pair of a busy token may be one that nobody trades: there is one further down.
const tokensLookedAt = 20

/** The busiest token of the first chain that has blocks whose main pair has trades, and that pair. */
export function exampleMarketOf(chains: GatewayChains, nowS: number): ExampleMarket {
  const found = [...chains].find(([, { reads }]) => reads.head() !== null)
  if (found === undefined)
    return { chain: '', tokenIds: [], tokenAddress: '', pairId: '', symbol: '', platform: '' }
  const [chain, served] = found
  const { reads } = served
  const shown = busyTokensOf(served, nowS).map((tokenId) => shownToken(reads, tokenId))
  const first = shown.find(({ pair }) => pair !== null && pair.lastTradeAtS > 0) ?? shown[0]
  const tokens = shown.filter((token) => token !== first)
  if (first !== undefined) tokens.unshift(first)
  return {
    chain,
    tokenIds: tokens
      .slice(0, tokensShown)
      .map(({ record }) => formatId({ address: record.address, chain })),
    tokenAddress: first?.record.address ?? '',
    pairId: first?.pair ? formatId({ address: first.pair.record.address, chain }) : '',
    symbol: first?.record.symbol ?? '',
    platform: served.profile.launchPlatforms[0]?.platform ?? '',
  }
}

function shownToken(reads: MarketReads, tokenId: number) {
  const { record, mainPairId } = reads.tokenState(tokenId)
  return { record, pair: mainPairId === null ? null : reads.pairState(mainPairId) }
}

function busyTokensOf({ reads, profile }: GatewayChain, nowS: number): readonly number[] {
  const trending = reads.trending(nowS, 0, tokensLookedAt)
  if (trending.length > 0) return trending
  const wrapped = reads.findToken(profile.native.wrappedToken)
  return wrapped === undefined ? [] : [wrapped]
}
