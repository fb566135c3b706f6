import type { SizedText } from '../encoded.ts'
import type { Clock } from '../gatewayChain.ts'
import { asAnswer, type MakeText } from './encodedRows.ts'
import { createLaunchBoard, type LaunchBoard } from './launchBoard.ts'
import { pairRow, pairRowDay, pairWindows } from './pairRow.ts'
import { type RecordOf, readRecord } from './pairTokens.ts'
import { priceEntry } from './priceEntry.ts'
import { PriceLines } from './priceLines.ts'
import { createRowCache, type RowCache } from './rowCache.ts'
import { makeDayTrading } from './rowWindows.ts'
import { tokenDetailText } from './tokenDetailText.ts'
import { type TokenFigures, tokenFigures } from './tokenFigures.ts'
import { tokenWindows } from './tokenRow.ts'
import { createTokenTexts, type TokenTexts } from './tokenTexts.ts'
import { createWindowCache, pairSource, tokenSource } from './windowCache.ts'

/** Rows as they cross the wire, and what tokens are selected and ordered by. */
export type MarketRows = {
  record: RecordOf
  /** JSON text. */
  token: TokenTexts
  /** The whole answers of pair and token detail. */
  pairDetail: RowCache<SizedText>
  tokenDetail: RowCache<SizedText>
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
  const pairDay = createWindowCache({ ...ofPairs, make: pairRowDay })
  const tokenDay = createWindowCache({
    ...ofTokens,
    make: ({ reads }, id, nowS) => makeDayTrading((window) => reads.tokenTrading(id, window, nowS)),
  })
  const pairText: MakeText = (chain, id, nowS) => {
    const { value, validUntilS } = pairWindowsOf(chain, id, nowS)
    return { value: pairRow(chain, id, value), validUntilS }
  }
  const ofDetail = { tokenWindows: tokenWindowsOf, pairDay }
  const detailText: MakeText = (chain, id, nowS) => tokenDetailText(chain, id, nowS, ofDetail)
  return {
    record: readRecord,
    token: createTokenTexts({ ...options, windowsOf: tokenWindowsOf }),
    pairDetail: createRowCache({ ...options, make: asAnswer(pairText) }),
    tokenDetail: createRowCache({ ...options, make: asAnswer(detailText) }),
    tokenFigures: createRowCache({
      ...options,
      make(chain, id, nowS) {
        const { value, validUntilS } = tokenDay(chain, id, nowS)
        return { value: tokenFigures(chain, id, value), validUntilS }
      },
    }),
    prices: new PriceLines({
      ...options,
      make(chain, id, nowS) {
        const { value, validUntilS } = tokenDay(chain, id, nowS)
        return { value: priceEntry(chain, id, value), validUntilS }
      },
    }),
    launches: createLaunchBoard({ ...options, dayOf: tokenDay }),
  }
}
