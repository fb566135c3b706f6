import { parseId } from '@chaintape/protocol'
import { chainOf, type GatewayChain, type GatewayChains } from '../../gatewayChain.ts'
import type { RecordOf } from '../../rows/pairMembers.ts'

/** A pair as charts ask for it. */
export type UdfPair = {
  chain: GatewayChain
  address: string
  pairId: number
  /** Address of the token that it is the main pair of, where the token was asked for: bars are the token's then. */
  token: string | null
}

// Tokens of one symbol that are looked at; a name is free, so there may be any number.
const candidatesMax = 50

/**
 * The pair of a symbol: `<pair_address>-<chain>`; `<token_address>-<chain>` for a token's main pair, or `SYMBOL/QUOTE` for
 * the deepest main pair of that name. A leading `<chain>:` is the exchange, which charts put before the symbol.
 */
export function findUdfPair(
  chains: GatewayChains,
  symbol: string,
  recordOf: RecordOf,
): UdfPair | null {
  const ofExchange = /^([a-z][a-z0-9_]{0,31}):(.+)$/s.exec(symbol)
  const name = ofExchange === null ? symbol : ofExchange[2]!
  return findById(chains, name) ?? findByName(chains, name, ofExchange?.[1] ?? null, recordOf)
}

function findById(chains: GatewayChains, symbol: string): UdfPair | null {
  const id = parseId(symbol)
  if (id === null || !chains.has(id.chain)) return null
  const chain = chainOf(chains, id.chain, 'symbol')
  const address = chain.ids.pair(id.address)
  const pairId = address === null ? undefined : chain.reads.findPair(address)
  if (address !== null && pairId !== undefined) return { chain, address, pairId, token: null }
  const token = chain.ids.token(id.address)
  const tokenId = token === null ? undefined : chain.reads.findToken(token)
  return tokenId === undefined ? null : mainPairOf(chain, tokenId)
}

/** Null: the token has none, or another token's prices would be shown under its pair's name. */
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
  recordOf: RecordOf,
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

/** Main pairs of the tokens that match, best match first. */
export function searchPairs(chain: GatewayChain, keyword: string, limit: number): UdfPair[] {
  const { reads } = chain
  if (reads.head() === null) return []
  return mainPairsOf(chain, Object.values(reads.search(keyword, limit)).flat())
}

export function mainPairsOf(chain: GatewayChain, tokenIds: readonly number[]): UdfPair[] {
  return tokenIds.flatMap((tokenId) => mainPairOf(chain, tokenId) ?? [])
}

/** Target and quote token of a pair. */
export function udfTokensOf({ chain, pairId }: UdfPair, recordOf: RecordOf) {
  const record = chain.reads.pairRecord(pairId)
  const targetTokenId = chain.reads.targetTokenOf(pairId)
  const quoteId = targetTokenId === record.token0Id ? record.token1Id : record.token0Id
  return { target: recordOf(chain, targetTokenId), quote: recordOf(chain, quoteId) }
}

export function udfNameOf(pair: UdfPair, recordOf: RecordOf): string {
  const { target, quote } = udfTokensOf(pair, recordOf)
  return `${target.symbol}/${quote.symbol}`
}

/** What a chart asks for bars with. A token's that had several main pairs is its own: bars of the pair would lack the others. */
export function udfTickerOf({ chain, address, pairId, token }: UdfPair): string {
  const { reads, profile } = chain
  const series = token === null ? null : reads.tokenSeries(reads.targetTokenOf(pairId))
  const isPairs = series === null || series.parts.length < 2
  return `${isPairs ? address : token}-${profile.name}`
}
