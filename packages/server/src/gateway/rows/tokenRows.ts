import { textOf } from '../encoded.ts'
import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import type { ByteRing, RowBytes } from './byteRing.ts'
import { createCachedRows } from './cachedRows.ts'
import type { CachedWindows } from './cachedWindows.ts'
import { dayEndS } from './dayEnd.ts'
import { encodedRow } from './encodedRow.ts'
import { tokenMoving } from './tokenRow.ts'
import { writeTextRow } from './writeRow.ts'

/** JSON of tokens as lists show them. */
export type TokenRows = {
  parts(chain: GatewayChain, tokenId: number): TokenRowBytes
  /** The same for who knows the version of the market and the time. */
  at(chain: GatewayChain, tokenId: number, version: number, nowS: number): TokenRowBytes
  text(chain: GatewayChain, tokenId: number): string
}

/** A row is what outlives blocks, its windows among it, and what every block may change. */
export type TokenRowBytes = { lasting: RowBytes; moving: RowBytes }

export type TokenRowsOptions = { clock: Clock; ring: ByteRing; lastingOf: CachedWindows }

export function createTokenRows({ clock, ring, lastingOf }: TokenRowsOptions): TokenRows {
  const movingOf = createCachedRows({
    ring,
    make: (chain, tokenId, _version, nowS) => ({
      row: writeTextRow(ring, tokenMoving(chain, tokenId, nowS)),
      validUntilS: dayEndS(nowS),
    }),
  })

  function at(chain: GatewayChain, tokenId: number, version: number, nowS: number): TokenRowBytes {
    const { row } = lastingOf(chain, tokenId, version, nowS)
    return { lasting: row, moving: movingOf(chain, tokenId, version, nowS) }
  }

  const parts: TokenRows['parts'] = (chain, tokenId) =>
    at(chain, tokenId, chain.version(), nowSOf(chain, clock))

  return {
    ...{ at, parts },
    text(chain, tokenId) {
      const { lasting, moving } = parts(chain, tokenId)
      return textOf(encodedRow([lasting, moving]))
    },
  }
}
