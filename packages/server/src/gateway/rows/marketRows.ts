import { type Clock, chainNowS, type GatewayChain } from '../chain/gatewayChain.ts'
import { type JsonWriter, joinBuffers } from '../ground/encodedJson.ts'
import { type ReadTokenRecord, readTokenRecord } from './pairMembers.ts'
import { pairDetailLastingPart, pairDetailMovingPart } from './pairRow.ts'
import { PriceLineCache } from './prices/priceLineCache.ts'
import { partsEtag, type ReadRowPart, RowCache, type RowPart } from './rowCache.ts'
import { dayEndS, type Expiring } from './rowWindows.ts'
import { tokenDetailPairLastingPart, tokenDetailPairMovingPart } from './tokenDetailPair.ts'
import { tokenRowLastingPart, tokenRowMovingPart } from './tokenRow.ts'

/** Cached rows of tokens, as lists show them. */
export type TokenRows = {
  parts(chain: GatewayChain, tokenId: number): TokenRowParts
  /** Same as `parts`, for a caller that already knows the market version and the time. */
  partsAt(chain: GatewayChain, tokenId: number, version: number, nowS: number): TokenRowParts
}

/**
 * A token's row in two parts: `lasting` outlives blocks and has the windows, `moving` may change
 * with any block.
 */
export type TokenRowParts = { lasting: RowPart; moving: RowPart }

function createTokenRows(clock: Clock, cache: RowCache, lastingOf: ReadRowPart): TokenRows {
  const movingOf = cache.moving((chain, tokenId, nowS) => {
    const { value, validUntilS } = tokenRowMovingPart(chain, tokenId, nowS)
    return { value: [value], validUntilS }
  })
  const partsAt: TokenRows['partsAt'] = (chain, tokenId, version, nowS) => ({
    lasting: lastingOf(chain, tokenId, version, nowS),
    moving: movingOf(chain, tokenId, version, nowS),
  })
  return {
    partsAt,
    parts: (chain, tokenId) => partsAt(chain, tokenId, chain.version(), chainNowS(chain, clock)),
  }
}

/** Returns the complete answer of token detail. */
export type TokenDetailRows = (chain: GatewayChain, tokenId: number) => JsonWriter

const pairsShownMax = 5

const start = detailStart('SUCCESS')
const startBytes = Buffer.from(start)
const pairsStart = ',"pairs":['
const end = ']}}'

/** Answer of token detail for an unknown token. */
export const tokenNotFoundJson = `${detailStart('SUCCESS: token not found')}{}${pairsStart}${end}`

/**
 * Encodes the start of the answer. `is_audited` is always false: the service has no data about
 * audits.
 */
function detailStart(msg: string): string {
  return `{"status":1,"msg":"${msg}","data_type":1,"data":{"is_audited":false,"token":`
}

function createTokenDetailRows(
  clock: Clock,
  cache: RowCache,
  tokens: TokenRows,
  lastingPair: ReadRowPart,
): TokenDetailRows {
  /** Makes the token's first pairs (the main pair, then by TVL) and the end of the answer. */
  function makePairs(
    chain: GatewayChain,
    tokenId: number,
    nowS: number,
    version: number,
  ): Expiring<(string | RowPart)[]> {
    const pairIds = chain.reads.tokenPairs(tokenId, pairsShownMax)
    const value: (string | RowPart)[] = []
    let validUntilS = dayEndS(nowS)
    for (let at = 0; at < pairIds.length; at += 1) {
      const pairId = pairIds[at]!
      const lasting = lastingPair(chain, pairId, version, nowS)
      if (lasting.validUntilS < validUntilS) validUntilS = lasting.validUntilS
      value.push(
        at === 0 ? pairsStart : ',',
        lasting,
        tokenDetailPairMovingPart(chain, pairId, nowS),
      )
    }
    value.push(value.length === 0 ? pairsStart + end : end)
    return { value, validUntilS }
  }

  const pairsOf = cache.moving(makePairs)
  return (chain, tokenId) => {
    const version = chain.version()
    const nowS = chainNowS(chain, clock)
    const { lasting, moving } = tokens.partsAt(chain, tokenId, version, nowS)
    const pairs = pairsOf(chain, tokenId, version, nowS)
    return joinBuffers([startBytes, lasting.bytes, moving.bytes, pairs.bytes], () =>
      partsEtag([lasting, moving, pairs]),
    )
  }
}

/** Encoders of rows and answers, shared by all operations so that unchanged parts are cached. */
export type MarketRows = {
  record: ReadTokenRecord
  tokenRows: TokenRows
  /** Returns the complete answer of pair detail. */
  pairDetail(chain: GatewayChain, pairId: number): JsonWriter
  tokenDetail: TokenDetailRows
  priceLines: PriceLineCache
}

// Share of the memory for price lines: a price line takes an eighth of what a token's row with its
// pairs and windows takes.
const priceShare = 0.125

/** Creates the encoders. Cached row parts of all chains take `bytesMax` of memory. */
export function createMarketRows(clock: Clock, bytesMax: number): MarketRows {
  const cache = new RowCache(Math.floor(bytesMax * (1 - priceShare)))
  const revisionOfToken = ({ reads }: GatewayChain, id: number) =>
    reads.tokenRecordRevision(id) + reads.tokenSupplyRevision(id)
  const revisionOfPair = ({ reads }: GatewayChain, id: number) => {
    const { token0Id, token1Id } = reads.pairRecord(id)
    return reads.tokenRecordRevision(token0Id) + reads.tokenRecordRevision(token1Id)
  }
  const lastingOf = cache.lasting('token', tokenRowLastingPart, revisionOfToken)
  const lastingPair = cache.lasting('pair', tokenDetailPairLastingPart, revisionOfPair)
  const lastingPairDetail = cache.lasting('pair', pairDetailLastingPart, revisionOfPair)
  const movingPairDetail = cache.moving((chain, pairId, nowS) => ({
    value: [pairDetailMovingPart(chain, pairId, nowS)],
    validUntilS: dayEndS(nowS),
  }))
  const tokenRows = createTokenRows(clock, cache, lastingOf)
  return {
    record: readTokenRecord,
    tokenRows,
    pairDetail(chain, pairId) {
      const version = chain.version()
      const nowS = chainNowS(chain, clock)
      const lasting = lastingPairDetail(chain, pairId, version, nowS)
      const moving = movingPairDetail(chain, pairId, version, nowS)
      return joinBuffers([lasting.bytes, moving.bytes], () => partsEtag([lasting, moving]))
    },
    tokenDetail: createTokenDetailRows(clock, cache, tokenRows, lastingPair),
    priceLines: new PriceLineCache(clock, Math.floor(bytesMax * priceShare)),
  }
}
