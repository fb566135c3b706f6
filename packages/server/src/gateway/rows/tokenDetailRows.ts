import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import type { EncodedParts } from '../operation/encoded.ts'
import { type ByteRing, ownBytes, type RowBytes, writeRow } from './cache/byteRing.ts'
import { createCachedRows, type MadeRow } from './cache/cachedRows.ts'
import type { CachedWindows } from './cache/cachedWindows.ts'
import { encodedRow } from './cache/encodedRow.ts'
import { detailPairMoving } from './detailPair.ts'
import { dayEndS } from './rowWindows.ts'
import type { TokenRows } from './tokenRows.ts'

type TokenDetailRowsOptions = {
  clock: Clock
  ring: ByteRing
  tokens: TokenRows
  lastingPair: CachedWindows
}

/** The whole answers of token detail. */
export type TokenDetailRows = (chain: GatewayChain, tokenId: number) => EncodedParts

const pairsShownMax = 5

const start = detailStart('SUCCESS')
const startBytes = ownBytes(Buffer.from(start))
const pairsStart = ',"pairs":['
const end = ']}}'

/** What is said of a token that nobody has traded here. */
export const tokenNotFoundText = `${detailStart('SUCCESS: token not found')}{}${pairsStart}${end}`

/** Audits are not followed: none is claimed. */
function detailStart(msg: string): string {
  return `{"status":1,"msg":"${msg}","data_type":1,"data":{"is_audited":false,"token":`
}

export function createTokenDetailRows(options: TokenDetailRowsOptions): TokenDetailRows {
  const { clock, ring, tokens, lastingPair } = options

  /** The first pairs of a token, the main pair first, then by TVL, and the end of the answer. */
  function makePairs(chain: GatewayChain, tokenId: number, version: number, nowS: number): MadeRow {
    const pairIds = chain.reads.tokenPairs(tokenId, pairsShownMax)
    const parts: (string | RowBytes)[] = []
    let validUntilS = dayEndS(nowS)
    for (let at = 0; at < pairIds.length; at += 1) {
      const pairId = pairIds[at]!
      const lasting = lastingPair(chain, pairId, version, nowS)
      if (lasting.validUntilS < validUntilS) validUntilS = lasting.validUntilS
      parts.push(at === 0 ? pairsStart : ',', lasting.row, detailPairMoving(chain, pairId, nowS))
    }
    parts.push(parts.length === 0 ? pairsStart + end : end)
    return { row: writeRow(ring, parts), validUntilS }
  }

  const pairsOf = createCachedRows({ ring, make: makePairs })
  return (chain, tokenId) => {
    const version = chain.version()
    const nowS = nowSOf(chain, clock)
    const { lasting, moving } = tokens.at(chain, tokenId, version, nowS)
    return encodedRow([lasting, moving, pairsOf(chain, tokenId, version, nowS)], startBytes)
  }
}
