import { chainNowS } from '../../chain/gatewayChain.ts'
import type { JsonWriter } from '../../ground/encodedJson.ts'
import type { PauseCheck } from '../../ground/steps.ts'
import { type BoardSelection, type PageQuery, readScreenerPage } from '../../lists/screenerPage.ts'
import { type TokenMeasureName, tokenColumn } from '../../lists/tokenMeasures.ts'
import { tokenScreener } from '../../lists/tokenScreener.ts'
import type { OperationContext } from '../operation.ts'
import { encodeOrderedTokens, type ListFrame, noFrame, type TokenRef } from '../tokens/tokenList.ts'

/** Builds a query for the first tokens by a measure, without a cursor. */
export function firstTokensQuery(
  selections: readonly BoardSelection[],
  { sort, sign = 1, limit }: { sort: TokenMeasureName; sign?: 1 | -1; limit: number },
): PageQuery {
  const { addressOf, findId } = tokenScreener
  const column = tokenColumn(sort)
  return { selections, column, sign, limit, cursor: null, addressOf, findId }
}

/**
 * Encodes a page of tokens, ordered by the figures that the rows show. Null: a reorg happened
 * meanwhile.
 */
export async function encodeTokenPage(
  query: PageQuery,
  { clock, rows }: OperationContext,
  pause: PauseCheck,
  frameOf: (next: string) => ListFrame = () => noFrame,
): Promise<JsonWriter | null> {
  const { selections, column, sign } = query
  const page = await readScreenerPage(query, clock, pause)
  if (page === null) return null
  const boardOf = new Map(selections.map(({ chain, board }) => [chain, board]))
  const rankOf = ({ chain, tokenId }: TokenRef) => {
    const board = boardOf.get(chain)!
    board.refresh(tokenId, chainNowS(chain, clock))
    return sign * board.value(tokenId, column)
  }
  const tokens = page.rows.map(({ chain, id }) => ({ chain, tokenId: id }))
  return encodeOrderedTokens(tokens, rankOf, rows, pause, frameOf(page.next))
}
