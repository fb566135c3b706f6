import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import type { PartOf, RowCache, RowPart } from './rowCache.ts'
import { tokenMoving } from './tokenRow.ts'

/** Cached rows of tokens, as lists show them. */
export type TokenRows = {
  parts(chain: GatewayChain, tokenId: number): TokenRowParts
  /** Same as `parts`, for a caller that already knows the market version and the time. */
  at(chain: GatewayChain, tokenId: number, version: number, nowS: number): TokenRowParts
}

/**
 * A token's row in two parts: `lasting` outlives blocks and has the windows, `moving` may change
 * with any block.
 */
export type TokenRowParts = { lasting: RowPart; moving: RowPart }

type TokenRowsOptions = { clock: Clock; cache: RowCache; lastingOf: PartOf }

export function createTokenRows({ clock, cache, lastingOf }: TokenRowsOptions): TokenRows {
  const movingOf = cache.moving((chain, tokenId, nowS) => {
    const { value, validUntilS } = tokenMoving(chain, tokenId, nowS)
    return { value: [value], validUntilS }
  })
  const at: TokenRows['at'] = (chain, tokenId, version, nowS) => ({
    lasting: lastingOf(chain, tokenId, version, nowS),
    moving: movingOf(chain, tokenId, version, nowS),
  })
  return {
    at,
    parts: (chain, tokenId) => at(chain, tokenId, chain.version(), nowSOf(chain, clock)),
  }
}
