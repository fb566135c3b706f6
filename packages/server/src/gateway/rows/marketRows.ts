import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import type { EncodedParts } from '../operation/encoded.ts'
import { writeRow } from './cache/byteRing.ts'
import { createCachedRows } from './cache/cachedRows.ts'
import { createCachedWindows } from './cache/cachedWindows.ts'
import { encodedRow } from './cache/encodedRow.ts'
import { createRowMemory, type RowMemory } from './cache/rowMemory.ts'
import { detailPairLasting } from './detailPair.ts'
import { type RecordOf, readRecord } from './pairMembers.ts'
import { pairLasting, pairMoving } from './pairRow.ts'
import { PriceLines } from './prices/priceLines.ts'
import { dayEndS } from './rowWindows.ts'
import { createTokenDetailRows, type TokenDetailRows } from './tokenDetailRows.ts'
import { tokenLasting } from './tokenRow.ts'
import { createTokenRows, type TokenRows } from './tokenRows.ts'

/** Rows as they cross the wire. */
export type MarketRows = {
  /** Where rows are cached. */
  memory: RowMemory
  record: RecordOf
  token: TokenRows
  /** The whole answers of pair and token detail. */
  pairDetail(chain: GatewayChain, pairId: number): EncodedParts
  tokenDetail: TokenDetailRows
  prices: PriceLines
}

type MarketRowsOptions = {
  clock: Clock
  /** Memory for what is cached of all chains. */
  bytesMax: number
}

// A price is an eighth of a token with its pairs and windows.
const priceShare = 0.125

/** Every block changes prices and voids the rows; most of a row is of what outlives blocks, and is cached apart. */
export function createMarketRows({ clock, bytesMax }: MarketRowsOptions): MarketRows {
  const memory = createRowMemory({ clock, bytesMax: Math.floor(bytesMax * (1 - priceShare)) })
  const { moving: ring, lasting } = memory
  const ofPairs = {
    ring: lasting,
    isOf: 'pair' as const,
    revisionOf({ reads }: GatewayChain, id: number) {
      const { token0Id, token1Id } = reads.pairRecord(id)
      return reads.tokenRecordRevision(token0Id) + reads.tokenRecordRevision(token1Id)
    },
  }
  const lastingOf = createCachedWindows({
    ring: lasting,
    isOf: 'token',
    make: tokenLasting,
    revisionOf: ({ reads }, id) => reads.tokenRecordRevision(id) + reads.tokenSupplyRevision(id),
  })
  const lastingPair = createCachedWindows({ ...ofPairs, make: detailPairLasting })
  const lastingPairDetail = createCachedWindows({ ...ofPairs, make: pairLasting })
  const token = createTokenRows({ clock, ring, lastingOf })
  const pairOf = createCachedRows({
    ring,
    make(chain, pairId, version, nowS) {
      const { row, validUntilS } = lastingPairDetail(chain, pairId, version, nowS)
      return {
        row: writeRow(ring, [row, pairMoving(chain, pairId, nowS)]),
        validUntilS: Math.min(validUntilS, dayEndS(nowS)),
      }
    },
  })
  return {
    memory,
    record: readRecord,
    token,
    pairDetail: (chain, pairId) =>
      encodedRow([pairOf(chain, pairId, chain.version(), nowSOf(chain, clock))]),
    tokenDetail: createTokenDetailRows({ clock, ring, tokens: token, lastingPair }),
    prices: new PriceLines({ clock, bytesMax: Math.floor(bytesMax * priceShare) }),
  }
}
