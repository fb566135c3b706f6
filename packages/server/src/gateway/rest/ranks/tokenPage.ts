import { nowSOf } from '../../gatewayChain.ts'
import type { EncodedParts } from '../../operation/encoded.ts'
import type { Serving } from '../../operation/operation.ts'
import { type PageQuery, type Selected, screenedPage } from '../../screener/screenedPage.ts'
import { type MeasureName, tokenColumn } from '../../screener/tokenMeasures.ts'
import { tokenScreen } from '../../screener/tokenScreen.ts'
import type { Pause } from '../../turns/runInSlices.ts'
import { bareFrame, type ListFrame, orderedRows, type TokenRef } from '../tokens/tokenList.ts'

/** Builds a query for the first tokens by a measure, without a cursor. */
export function firstTokens(
  selections: readonly Selected[],
  { sort, sign = 1, limit }: { sort: MeasureName; sign?: 1 | -1; limit: number },
): PageQuery {
  const { addressOf, findId } = tokenScreen
  const column = tokenColumn(sort)
  return { selections, column, sign, limit, cursor: null, addressOf, findId }
}

/**
 * Encodes a page of tokens, ordered by the figures that the rows show. Null: a reorg happened
 * meanwhile.
 */
export async function tokenPage(
  query: PageQuery,
  { clock, rows }: Serving,
  pause: Pause,
  frameOf: (next: string) => ListFrame = () => bareFrame,
): Promise<EncodedParts | null> {
  const { selections, column, sign } = query
  const page = await screenedPage(query, clock, pause)
  if (page === null) return null
  const boardOf = new Map(selections.map(({ chain, board }) => [chain, board]))
  const rankOf = ({ chain, tokenId }: TokenRef) => {
    const board = boardOf.get(chain)!
    board.refresh(tokenId, nowSOf(chain, clock))
    return sign * board.value(tokenId, column)
  }
  const tokens = page.rows.map(({ chain, id }) => ({ chain, tokenId: id }))
  return orderedRows(tokens, rankOf, rows, pause, frameOf(page.next))
}
