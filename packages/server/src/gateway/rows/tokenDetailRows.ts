import { type Clock, chainNowS, type GatewayChain } from '../chain/gatewayChain.ts'
import { type JsonWriter, joinBuffers } from '../ground/encodedJson.ts'
import { partsEtag, type ReadRowPart, type RowCache, type RowPart } from './rowCache.ts'
import { dayEndS, type Expiring } from './rowWindows.ts'
import { tokenDetailPairMovingPart } from './tokenDetailPair.ts'
import type { TokenRows } from './tokenRows.ts'

type TokenDetailRowsOptions = {
  clock: Clock
  cache: RowCache
  tokens: TokenRows
  lastingPair: ReadRowPart
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

export function createTokenDetailRows(options: TokenDetailRowsOptions): TokenDetailRows {
  const { clock, cache, tokens, lastingPair } = options

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
