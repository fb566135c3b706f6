import { parseId } from '@chaintape/protocol'
import {
  type GatewayChain,
  type GatewayChains,
  requireReadyChain,
} from '../../chain/gatewayChain.ts'
import type { ReadTokenRecord } from '../../rows/pairMembers.ts'

/** The pair behind a chart symbol. */
export type UdfPair = {
  chain: GatewayChain
  address: string
  pairId: number
  /**
   * Address of the token, if the symbol names a token and this is its main pair: bars are then the
   * token's. Else null.
   */
  token: string | null
}

// Limits the tokens considered for a symbol: anyone can reuse a symbol, so there may be any number.
const candidatesMax = 50

/**
 * Finds the pair of a chart symbol. `<pair_address>-<chain>` names a pair,
 * `<token_address>-<chain>` a token's main pair, and `SYMBOL/QUOTE` the deepest main pair of that
 * name. Charts may prepend `<chain>:`, the exchange.
 */
export function findUdfPair(
  chains: GatewayChains,
  symbol: string,
  recordOf: ReadTokenRecord,
): UdfPair | null {
  const ofExchange = /^([a-z][a-z0-9_]{0,31}):(.+)$/s.exec(symbol)
  const name = ofExchange === null ? symbol : ofExchange[2]!
  return findById(chains, name) ?? findByName(chains, name, ofExchange?.[1] ?? null, recordOf)
}

function findById(chains: GatewayChains, symbol: string): UdfPair | null {
  const id = parseId(symbol)
  if (id === null || !chains.has(id.chain)) return null
  const chain = requireReadyChain(chains, id.chain, 'symbol')
  const address = chain.ids.pair(id.address)
  const pairId = address === null ? undefined : chain.reads.findPair(address)
  if (address !== null && pairId !== undefined) return { chain, address, pairId, token: null }
  const token = chain.ids.token(id.address)
  const tokenId = token === null ? undefined : chain.reads.findToken(token)
  return tokenId === undefined ? null : mainPairOf(chain, tokenId)
}

/**
 * Returns a token's main pair. Null without a main pair, or when it prices the other token, whose
 * prices would be shown under this token's name.
 */
function mainPairOf(chain: GatewayChain, tokenId: number): UdfPair | null {
  const { reads } = chain
  const pairId = reads.mainPairOf(tokenId)
  if (pairId === null || reads.targetTokenOf(pairId) !== tokenId) return null
  const { address } = reads.pairRecord(pairId)
  return { chain, address, pairId, token: reads.tokenRecord(tokenId).address }
}

function findByName(
  chains: GatewayChains,
  symbol: string,
  chainName: string | null,
  recordOf: ReadTokenRecord,
) {
  const [base, quote] = symbol.split('/')
  if (base === undefined || base === '' || quote === undefined) return null
  const found = [...chains.values()]
    .filter(({ profile }) => chainName === null || profile.name === chainName)
    .flatMap((chain) => searchPairs(chain, base, candidatesMax))
    .filter((pair) => udfNameOf(pair, recordOf).toLowerCase() === symbol.toLowerCase())
  const tvlOf = ({ chain, pairId }: UdfPair) => chain.reads.pairTvlUsd(pairId)
  return found.sort((a, b) => tvlOf(b) - tvlOf(a))[0] ?? null
}

/** Returns the main pairs of matching tokens, best match first. */
export function searchPairs(chain: GatewayChain, keyword: string, limit: number): UdfPair[] {
  const { reads } = chain
  if (reads.head() === null) return []
  return mainPairsOf(chain, Object.values(reads.search(keyword, limit)).flat())
}

export function mainPairsOf(chain: GatewayChain, tokenIds: readonly number[]): UdfPair[] {
  return tokenIds.flatMap((tokenId) => mainPairOf(chain, tokenId) ?? [])
}

/** Returns the target and quote token of a pair. */
export function udfTokensOf({ chain, pairId }: UdfPair, recordOf: ReadTokenRecord) {
  const record = chain.reads.pairRecord(pairId)
  const targetTokenId = chain.reads.targetTokenOf(pairId)
  const quoteId = targetTokenId === record.token0Id ? record.token1Id : record.token0Id
  return { target: recordOf(chain, targetTokenId), quote: recordOf(chain, quoteId) }
}

export function udfNameOf(pair: UdfPair, recordOf: ReadTokenRecord): string {
  const { target, quote } = udfTokensOf(pair, recordOf)
  return `${target.symbol}/${quote.symbol}`
}

/**
 * Returns the ticker that charts use to request bars. For a token with several successive main
 * pairs the ticker names the token, because bars of one pair would lack the others' trades.
 */
export function udfTickerOf({ chain, address, pairId, token }: UdfPair): string {
  const { reads, profile } = chain
  const series = token === null ? null : reads.tokenSeries(reads.targetTokenOf(pairId))
  const isPairs = series === null || series.parts.length < 2
  return `${isPairs ? address : token}-${profile.name}`
}
