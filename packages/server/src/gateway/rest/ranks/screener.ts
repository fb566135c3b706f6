import type { GatewayChain } from '../../chain/gatewayChain.ts'
import { encodedText } from '../../ground/encodedJson.ts'
import { componentRef } from '../../ground/schemas.ts'
import { type PauseCheck, runInSlices } from '../../ground/steps.ts'
import { optionalChainInput } from '../../inputs/inputs.ts'
import { pairScreener } from '../../lists/pairScreener.ts'
import {
  pageQueryOf,
  type ScreenerKind,
  type ScreenerValues,
  screenerInputsOf,
} from '../../lists/screenerKind.ts'
import { readScreenerPage } from '../../lists/screenerPage.ts'
import { tokenScreener } from '../../lists/tokenScreener.ts'
import { defineOperation, type OperationContext } from '../operation.ts'
import { encodeTokenPage } from './tokenPage.ts'

/** Maximum page size of both screener operations. */
const screenerLimitMax = 200

/** GET /v2/screener: tokens filtered and ordered by any measure. */
export const screener = defineOperation({
  id: 'screener',
  method: 'GET',
  path: '/v2/screener',
  cost: 20,
  tag: 'ranks',
  summary: 'Tokens filtered and sorted by their figures',
  description: screenerDescription('tokens'),
  inputs: screenerInputs(tokenScreener),
  answer: componentRef('ScreenerPage'),
  async run(values, serving) {
    const { query, inSlices } = await screened(tokenScreener, values, serving)
    const frameOf = (next: string) => ({
      before: `{"next_cursor":${JSON.stringify(next)},"tokens":`,
      after: '}',
    })
    return { json: await inSlices((pause) => encodeTokenPage(query, serving, pause, frameOf)) }
  },
})

function screenerDescription(rows: 'tokens' | 'pairs'): string {
  return (
    `All ${rows} with a price that are within every given bound. Row values are current; the selection of ${rows} is up to ` +
    'a minute old on chains with hundreds of thousands. `next_cursor` is empty on the last page.'
  )
}

export function screenerInputs(screen: ScreenerKind) {
  return { chain: optionalChainInput, ...screenerInputsOf(screen, screenerLimitMax) }
}

/**
 * Builds the query over the boards of one chain, or of all chains that have a block. `inSlices`
 * runs work on these chains in scheduler slices.
 */
export async function screened(
  screen: ScreenerKind,
  values: ScreenerValues,
  { chains, scheduler, clock, screener: boards }: OperationContext,
) {
  const { chain } = values as { chain: GatewayChain | null }
  const hasBlock = ({ reads }: GatewayChain) => reads.head() !== null
  const served = chain === null ? [...chains.values()].filter(hasBlock) : [chain]
  const found = await Promise.all(
    served.map(async (one) => ({
      chain: one,
      board: await boards.board(one, screen.subject, scheduler),
    })),
  )
  const inSlices = <result>(work: (pause: PauseCheck) => Promise<result | null>) =>
    runInSlices(scheduler, served, work)
  return { query: pageQueryOf(screen, values, found, clock), inSlices }
}

/** GET /v2/screener/pairs: pairs filtered and ordered by any measure. */
export const screenerPairs = defineOperation({
  id: 'screenerPairs',
  method: 'GET',
  path: '/v2/screener/pairs',
  cost: 20,
  tag: 'ranks',
  summary: 'Pairs filtered and sorted by their figures',
  description: screenerDescription('pairs'),
  inputs: screenerInputs(pairScreener),
  answer: componentRef('ScreenerPairs'),
  async run(values, serving) {
    const { query, inSlices } = await screened(pairScreener, values, serving)
    const json = await inSlices(async (pause) => {
      const page = await readScreenerPage(query, serving.clock, pause)
      if (page === null) return null
      // Rows are encoded without a pause, so that no block changes a row after it was ordered.
      const texts = page.rows.map(({ chain, id }) =>
        encodedText(serving.rows.pairDetail(chain, id)),
      )
      return `{"next_cursor":${JSON.stringify(page.next)},"pairs":[${texts.join()}]}`
    })
    return { json }
  },
})
