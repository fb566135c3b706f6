import { formatId } from '@chaintape/protocol'
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

/** The busiest token of the first chain that has blocks, and its main pair. */
export function exampleMarketOf(chains: GatewayChains, nowS: number): ExampleMarket {
  const found = [...chains].find(([, { reads }]) => reads.head() !== null)
  if (found === undefined)
    return { chain: '', tokenIds: [], tokenAddress: '', pairId: '', symbol: '', platform: '' }
  const [chain, served] = found
  const states = shownTokensOf(served, nowS).map((id) => served.reads.tokenState(id))
  const first = states.find(({ mainPairId }) => mainPairId !== null) ?? states[0]
  const mainPair =
    first === undefined || first.mainPairId === null
      ? null
      : served.reads.pairState(first.mainPairId)
  return {
    chain,
    tokenIds: states.map(({ record }) => formatId({ address: record.address, chain })),
    tokenAddress: first?.record.address ?? '',
    pairId: mainPair === null ? '' : formatId({ address: mainPair.record.address, chain }),
    symbol: first?.record.symbol ?? '',
    platform: served.profile.launchPlatforms[0]?.platform ?? '',
  }
}

function shownTokensOf({ reads, profile }: GatewayChain, nowS: number): readonly number[] {
  const trending = reads.trending(nowS, 0, tokensShown)
  if (trending.length > 0) return trending
  return reads.findToken(profile.native.wrappedToken) === undefined
    ? []
    : [reads.findToken(profile.native.wrappedToken)!]
}
