import { type Clock, chainNowS, type GatewayChain } from '../chain/gatewayChain.ts'
import type { ReadRowPart, RowCache, RowPart } from './rowCache.ts'
import { tokenRowMovingPart } from './tokenRow.ts'

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

type TokenRowsOptions = { clock: Clock; cache: RowCache; lastingOf: ReadRowPart }

export function createTokenRows({ clock, cache, lastingOf }: TokenRowsOptions): TokenRows {
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
