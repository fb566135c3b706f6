import type { Clock } from '../gatewayChain.ts'
import { createEncodedRows, type EncodedRows } from './encodedRows.ts'
import { createLaunchBoard, type LaunchBoard } from './launchBoard.ts'
import { pairRow, pairWindows } from './pairRow.ts'
import { type RecordOf, readRecord } from './pairTokens.ts'
import { priceEntry } from './priceEntry.ts'
import { createPriceLines, type PriceLines } from './priceLines.ts'
import { createRowCache, type RowCache } from './rowCache.ts'
import { makeDayTrading, makeRowDay } from './rowWindows.ts'
import { tokenDetailText } from './tokenDetailText.ts'
import { type TokenFigures, tokenFigures } from './tokenFigures.ts'
import { tokenRow, tokenWindows } from './tokenRow.ts'
import { createWindowCache, pairSource, tokenSource } from './windowCache.ts'

/** Rows as they cross the wire, and what tokens are selected and ordered by. */
export type MarketRows = {
  record: RecordOf
  token: EncodedRows
  pair: EncodedRows
  /** The whole answer of token detail. */
  tokenDetail: EncodedRows
  tokenFigures: RowCache<TokenFigures>
  prices: PriceLines
  launches: LaunchBoard
}

export type MarketRowsOptions = { clock: Clock; countMax: number }

/** Every block changes prices and voids the rows; most of a row is of its windows, which are kept apart. */
export function createMarketRows(options: MarketRowsOptions): MarketRows {
  const { countMax } = options
  const ofTokens = { countMax, sourceOf: tokenSource }
  const ofPairs = { countMax, sourceOf: pairSource }
  const tokenWindowsOf = createWindowCache({ ...ofTokens, make: tokenWindows })
  const pairWindowsOf = createWindowCache({ ...ofPairs, make: pairWindows })
  const pairDay = createWindowCache({
    ...ofPairs,
    make: ({ reads }, id, nowS) => makeRowDay((window) => reads.pairWindow(id, window, nowS)),
  })
  const tokenDay = createWindowCache({
    ...ofTokens,
    make: ({ reads }, id, nowS) => makeDayTrading((window) => reads.tokenWindow(id, window, nowS)),
  })
  const makeToken: Parameters<typeof createEncodedRows>[0]['make'] = (chain, id, nowS) => {
    const { value, validUntilS } = tokenWindowsOf(chain, id, nowS)
    return { value: tokenRow(chain, id, value), validUntilS }
  }
  const price = createRowCache({
    ...options,
    make(chain, id, nowS) {
      const { value, validUntilS } = tokenDay(chain, id, nowS)
      return { value: priceEntry(chain, id, value), validUntilS }
    },
  })
  return {
    record: readRecord,
    token: createEncodedRows({ ...options, make: makeToken }),
    pair: createEncodedRows({
      ...options,
      make(chain, id, nowS) {
        const { value, validUntilS } = pairWindowsOf(chain, id, nowS)
        return { value: pairRow(chain, id, value), validUntilS }
      },
    }),
    tokenDetail: createEncodedRows({
      ...options,
      make: (chain, id, nowS) =>
        tokenDetailText(chain, id, { token: makeToken(chain, id, nowS), nowS, pairDay }),
    }),
    tokenFigures: createRowCache({
      ...options,
      make(chain, id, nowS) {
        const { value, validUntilS } = tokenDay(chain, id, nowS)
        return { value: tokenFigures(chain, id, value), validUntilS }
      },
    }),
    prices: createPriceLines({ ...options, price }),
    launches: createLaunchBoard({ ...options, dayOf: tokenDay }),
  }
}
