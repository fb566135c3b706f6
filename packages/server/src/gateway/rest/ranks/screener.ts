import type { GatewayChain } from '../../gatewayChain.ts'
import { optionalChain } from '../../operation/inputs.ts'
import { defineOperation, type Serving } from '../../operation/operation.ts'
import { ref } from '../../operation/schemas.ts'
import { inputsOf, pageQueryOf, type Screen, type ScreenValues } from '../../screener/screen.ts'
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

export function screenerDescription(rows: 'tokens' | 'pairs'): string {
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
