import { type GatewayChain, nowSOf } from '../../gatewayChain.ts'
import { optionalChain } from '../../operation/inputs.ts'
import { defineOperation, type Serving } from '../../operation/operation.ts'
import { ref } from '../../operation/schemas.ts'
import { inputsOf, pageQueryOf, type Screen, type ScreenValues } from '../../screener/screen.ts'
import { type PageQuery, screenedPage } from '../../screener/screenedPage.ts'
import { tokenScreen } from '../../screener/tokenScreen.ts'
import { type Pause, runInSlices } from '../../turns/runInSlices.ts'
import { orderedRows, type TokenRef } from '../tokens/tokenOrder.ts'

/** Rows of a page at most. */
const screenerLimitMax = 200

/** Tokens by any of their numbers. */
export const screener = defineOperation({
  id: 'screener',
  method: 'GET',
  path: '/v2/screener',
  cost: 20,
  tag: 'ranks',
  summary: 'Tokens selected and ordered by their numbers',
  description: screenerDescription('tokens'),
  inputs: screenerInputs(tokenScreen),
  answer: ref('ScreenerPage'),
  async run(values, serving) {
    const { query, inSlices } = await screened(tokenScreen, values, serving)
    return { json: await inSlices((pause) => pageOf(query, serving, pause)) }
  },
})

export function screenerDescription(rows: 'tokens' | 'pairs'): string {
  return (
    `All ${rows} with a price that are within every given bound. Rows are as they are now; which ${rows} are looked at is up to ` +
    'a minute old where a chain has hundreds of thousands. `next_cursor` is empty on the last page.'
  )
}

export function screenerInputs(screen: Screen) {
  return { chain: optionalChain, ...inputsOf(screen, screenerLimitMax) }
}

/** What is asked of the boards of a chain, or of all that have a block, and how they are worked on. */
export async function screened(
  screen: Screen,
  values: ScreenValues,
  { chains, turns, screener: boards }: Serving,
) {
  const { chain } = values as { chain: GatewayChain | null }
  const hasBlock = ({ reads }: GatewayChain) => reads.head() !== null
  const served = chain === null ? [...chains.values()].filter(hasBlock) : [chain]
  const found = await Promise.all(
    served.map(async (one) => ({ chain: one, board: await boards.of(one, screen.subject, turns) })),
  )
  const inSlices = <result>(work: (pause: Pause) => Promise<result | null>) =>
    runInSlices(turns, served, work)
  return { query: pageQueryOf(screen, values, found), inSlices }
}

async function pageOf(query: PageQuery, { clock, rows }: Serving, pause: Pause) {
  const { found, column, sign } = query
  const page = await screenedPage(query, clock, pause)
  if (page === null) return null
  const boardOf = new Map(found.map(({ chain, board }) => [chain, board]))
  const rankOf = ({ chain, tokenId }: TokenRef) => {
    const board = boardOf.get(chain)!
    board.refresh(tokenId, nowSOf(chain, clock))
    return sign * board.value(tokenId, column)
  }
  const tokens = page.rows.map(({ chain, id }) => ({ chain, tokenId: id }))
  return orderedRows(tokens, rankOf, rows, pause, {
    before: `{"next_cursor":${JSON.stringify(page.next)},"tokens":`,
    after: '}',
  })
}
