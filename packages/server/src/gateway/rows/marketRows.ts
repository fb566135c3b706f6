import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import { type EncodedParts, encodedBytes } from '../operation/encoded.ts'
import { detailPairLasting } from './detailPair.ts'
import { type RecordOf, readRecord } from './pairMembers.ts'
import { pairLasting, pairMoving } from './pairRow.ts'
import { PriceLines } from './prices/priceLines.ts'
import { partsTag, RowCache } from './rowCache.ts'
import { dayEndS } from './rowWindows.ts'
import { createTokenDetailRows, type TokenDetailRows } from './tokenDetailRows.ts'
import { tokenLasting } from './tokenRow.ts'
import { createTokenRows, type TokenRows } from './tokenRows.ts'

/** Encoders of rows and answers, shared by all operations so that unchanged parts are cached. */
export type MarketRows = {
  record: RecordOf
  token: TokenRows
  /** Returns the complete answer of pair detail. */
  pairDetail(chain: GatewayChain, pairId: number): EncodedParts
  tokenDetail: TokenDetailRows
  prices: PriceLines
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
    make: tokenLasting,
    revisionOf: ({ reads }, id) => reads.tokenRecordRevision(id) + reads.tokenSupplyRevision(id),
  })
  const lastingPair = cache.lasting({ ...ofPairs, make: detailPairLasting })
  const lastingPairDetail = cache.lasting({ ...ofPairs, make: pairLasting })
  const movingPairDetail = cache.moving((chain, pairId, nowS) => ({
    value: [pairMoving(chain, pairId, nowS)],
    validUntilS: dayEndS(nowS),
  }))
  const token = createTokenRows({ clock, cache, lastingOf })
  return {
    record: readRecord,
    token,
    pairDetail(chain, pairId) {
      const version = chain.version()
      const nowS = nowSOf(chain, clock)
      const lasting = lastingPairDetail(chain, pairId, version, nowS)
      const moving = movingPairDetail(chain, pairId, version, nowS)
      return encodedBytes([lasting.bytes, moving.bytes], () => partsTag([lasting, moving]))
    },
    tokenDetail: createTokenDetailRows({ clock, cache, tokens: token, lastingPair }),
    prices: new PriceLines({ clock, bytesMax: Math.floor(bytesMax * priceShare) }),
  }
}
