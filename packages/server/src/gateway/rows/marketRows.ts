import type { Clock, GatewayChain } from '../gatewayChain.ts'
import { createEncodedRows, type EncodedRows } from './encodedRows.ts'
import { createLaunchBoard, type LaunchBoard } from './launchBoard.ts'
import { pairRow } from './pairRow.ts'
import { type RecordOf, readRecord } from './pairTokens.ts'
import { priceEntry } from './priceEntry.ts'
import { createPriceLines, type PriceLines } from './priceLines.ts'
import { createRowCache, type RowCache } from './rowCache.ts'
import { tokenDetailText } from './tokenDetailText.ts'
import { type TokenFigures, tokenFigures } from './tokenFigures.ts'
import { tokenRow } from './tokenRow.ts'

/** Rows as they cross the wire, and what tokens are selected and ordered by. */
export type MarketRows = {
  /** What a token says of itself: the state of a quote token, which has it too, walks a thousand pairs. */
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

export function createMarketRows(options: MarketRowsOptions): MarketRows {
  const ofTokens = {
    ...options,
    lastTradeAtS: ({ reads }: GatewayChain, id: number) => reads.tokenActivity(id).lastTradeAtS,
  }
  const recordOf = createRowCache({ ...ofTokens, make: readRecord }).of
  const token = createEncodedRows({
    ...ofTokens,
    encode: tokenRow,
  })
  return {
    record: recordOf,
    token,
    pair: createEncodedRows({
      ...options,
      encode: (chain, id, nowS) => pairRow(chain, id, nowS, recordOf),
      lastTradeAtS: ({ reads }, id) => reads.pairState(id).lastTradeAtS,
    }),
    tokenDetail: createEncodedRows({
      ...ofTokens,
      encode: (chain, id, nowS) =>
        tokenDetailText(chain, id, { tokenJson: token.json(chain, id), nowS, recordOf }),
    }),
    tokenFigures: createRowCache({ ...ofTokens, make: tokenFigures }),
    prices: createPriceLines({
      ...options,
      price: createRowCache({ ...ofTokens, make: priceEntry }),
    }),
    launches: createLaunchBoard(options),
  }
}
