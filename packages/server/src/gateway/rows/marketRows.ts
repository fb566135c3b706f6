import { type Clock, chainNowS, type GatewayChain } from '../chain/gatewayChain.ts'
import { type JsonWriter, joinBuffers } from '../ground/encodedJson.ts'
import { type ReadTokenRecord, readTokenRecord } from './pairMembers.ts'
import { pairDetailLastingPart, pairDetailMovingPart } from './pairRow.ts'
import { PriceLineCache } from './prices/priceLineCache.ts'
import { partsEtag, RowCache } from './rowCache.ts'
import { dayEndS } from './rowWindows.ts'
import { tokenDetailPairLastingPart } from './tokenDetailPair.ts'
import { createTokenDetailRows, type TokenDetailRows } from './tokenDetailRows.ts'
import { tokenRowLastingPart } from './tokenRow.ts'
import { createTokenRows, type TokenRows } from './tokenRows.ts'

/** Encoders of rows and answers, shared by all operations so that unchanged parts are cached. */
export type MarketRows = {
  record: ReadTokenRecord
  tokenRows: TokenRows
  /** Returns the complete answer of pair detail. */
  pairDetail(chain: GatewayChain, pairId: number): JsonWriter
  tokenDetail: TokenDetailRows
  priceLines: PriceLineCache
}

type MarketRowsOptions = {
  clock: Clock
  /** Memory for cached row parts of all chains. */
  bytesMax: number
}

// Share of the memory for price lines: a price line takes an eighth of what a token's row with its
// pairs and windows takes.
const priceShare = 0.125

export function createMarketRows({ clock, bytesMax }: MarketRowsOptions): MarketRows {
  const cache = new RowCache(Math.floor(bytesMax * (1 - priceShare)))
  const ofPairs = {
    owner: 'pair' as const,
    revisionOf({ reads }: GatewayChain, id: number) {
      const { token0Id, token1Id } = reads.pairRecord(id)
      return reads.tokenRecordRevision(token0Id) + reads.tokenRecordRevision(token1Id)
    },
  }
  const lastingOf = cache.lasting({
    owner: 'token',
    make: tokenRowLastingPart,
    revisionOf: ({ reads }, id) => reads.tokenRecordRevision(id) + reads.tokenSupplyRevision(id),
  })
  const lastingPair = cache.lasting({ ...ofPairs, make: tokenDetailPairLastingPart })
  const lastingPairDetail = cache.lasting({ ...ofPairs, make: pairDetailLastingPart })
  const movingPairDetail = cache.moving((chain, pairId, nowS) => ({
    value: [pairDetailMovingPart(chain, pairId, nowS)],
    validUntilS: dayEndS(nowS),
  }))
  const tokenRows = createTokenRows({ clock, cache, lastingOf })
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
    tokenDetail: createTokenDetailRows({ clock, cache, tokens: tokenRows, lastingPair }),
    priceLines: new PriceLineCache({ clock, bytesMax: Math.floor(bytesMax * priceShare) }),
  }
}
