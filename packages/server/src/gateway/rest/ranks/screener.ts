import type { GatewayChain } from '../../gatewayChain.ts'
import { textOf } from '../../operation/encoded.ts'
import { optionalChain } from '../../operation/inputs.ts'
import { defineOperation, type Serving } from '../../operation/operation.ts'
import { ref } from '../../operation/schemas.ts'
import { pairScreen } from '../../screener/pairScreen.ts'
import { inputsOf, pageQueryOf, type Screen, type ScreenValues } from '../../screener/screen.ts'
import { screenedPage } from '../../screener/screenedPage.ts'
import { tokenScreen } from '../../screener/tokenScreen.ts'
import { type Pause, runInSlices } from '../../turns/runInSlices.ts'
import { tokenPage } from './tokenPage.ts'

/** Maximum page size of both screener operations. */
const screenerLimitMax = 200

/** GET /v2/screener: tokens filtered and ordered by any measure. */
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
    const frameOf = (next: string) => ({
      before: `{"next_cursor":${JSON.stringify(next)},"tokens":`,
      after: '}',
    })
    return { json: await inSlices((pause) => tokenPage(query, serving, pause, frameOf)) }
  },
})

function screenerDescription(rows: 'tokens' | 'pairs'): string {
  return (
    `All ${rows} with a price that are within every given bound. Rows are as they are now; which ${rows} are looked at is up to ` +
    'a minute old where a chain has hundreds of thousands. `next_cursor` is empty on the last page.'
  )
}

export function screenerInputs(screen: Screen) {
  return { chain: optionalChain, ...inputsOf(screen, screenerLimitMax) }
}

/**
 * Builds the query over the boards of one chain, or of all chains that have a block. `inSlices`
 * runs work on these chains in scheduler slices.
 */
export async function screened(
  screen: Screen,
  values: ScreenValues,
  { chains, turns, clock, screener: boards }: Serving,
) {
  const { chain } = values as { chain: GatewayChain | null }
  const hasBlock = ({ reads }: GatewayChain) => reads.head() !== null
  const served = chain === null ? [...chains.values()].filter(hasBlock) : [chain]
  const found = await Promise.all(
    served.map(async (one) => ({ chain: one, board: await boards.of(one, screen.subject, turns) })),
  )
  const inSlices = <result>(work: (pause: Pause) => Promise<result | null>) =>
    runInSlices(turns, served, work)
  return { query: pageQueryOf(screen, values, found, clock), inSlices }
}

/** GET /v2/screener/pairs: pairs filtered and ordered by any measure. */
export const screenerPairs = defineOperation({
  id: 'screenerPairs',
  method: 'GET',
  path: '/v2/screener/pairs',
  cost: 20,
  tag: 'ranks',
  summary: 'Pairs selected and ordered by their numbers',
  description: screenerDescription('pairs'),
  inputs: screenerInputs(pairScreen),
  answer: ref('ScreenerPairs'),
  async run(values, serving) {
    const { query, inSlices } = await screened(pairScreen, values, serving)
    const json = await inSlices(async (pause) => {
      const page = await screenedPage(query, serving.clock, pause)
      if (page === null) return null
      // Rows are encoded without a pause, so that no block changes a row after it was ordered.
      const texts = page.rows.map(({ chain, id }) => textOf(serving.rows.pairDetail(chain, id)))
      return `{"next_cursor":${JSON.stringify(page.next)},"pairs":[${texts.join()}]}`
    })
    return { json }
  },
})
