import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import { textOf } from '../operation/encoded.ts'
import { type ByteRing, type RowBytes, writeTextRow } from './cache/byteRing.ts'
import { createCachedRows } from './cache/cachedRows.ts'
import type { CachedWindows } from './cache/cachedWindows.ts'
import { encodedRow } from './cache/encodedRow.ts'
import { tokenMoving } from './tokenRow.ts'

/** JSON of tokens as lists show them. */
export type TokenRows = {
  parts(chain: GatewayChain, tokenId: number): TokenRowBytes
  /** The same for who knows the version of the market and the time. */
  at(chain: GatewayChain, tokenId: number, version: number, nowS: number): TokenRowBytes
  text(chain: GatewayChain, tokenId: number): string
}

/** A row is what outlives blocks, its windows among it, and what every block may change. */
export type TokenRowBytes = { lasting: RowBytes; moving: RowBytes }

type TokenRowsOptions = { clock: Clock; ring: ByteRing; lastingOf: CachedWindows }

export function createTokenRows({ clock, ring, lastingOf }: TokenRowsOptions): TokenRows {
  const movingOf = createCachedRows({
    ring,
    make(chain, tokenId, _version, nowS) {
      const { value, validUntilS } = tokenMoving(chain, tokenId, nowS)
      return { row: writeTextRow(ring, value), validUntilS }
    },
  })

  function at(chain: GatewayChain, tokenId: number, version: number, nowS: number): TokenRowBytes {
    const { row } = lastingOf(chain, tokenId, version, nowS)
    return { lasting: row, moving: movingOf(chain, tokenId, version, nowS) }
  }

  const parts: TokenRows['parts'] = (chain, tokenId) =>
    at(chain, tokenId, chain.version(), nowSOf(chain, clock))

  return {
    at,
    parts,
    text(chain, tokenId) {
      const { lasting, moving } = parts(chain, tokenId)
      return textOf(encodedRow([lasting, moving]))
    },
  }
}
