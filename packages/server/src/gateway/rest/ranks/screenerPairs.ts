import { textOf } from '../../operation/encoded.ts'
import { defineOperation } from '../../operation/operation.ts'
import { ref } from '../../operation/schemas.ts'
import { pairScreen } from '../../screener/pairScreen.ts'
import { screenedPage } from '../../screener/screenedPage.ts'
import { screened, screenerDescription, screenerInputs } from './screener.ts'

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
      // Encoded without a pause, so that no block changes a row after it was ordered.
      const texts = page.rows.map(({ chain, id }) => textOf(serving.rows.pairDetail(chain, id)))
      return `{"next_cursor":${JSON.stringify(page.next)},"pairs":[${texts.join()}]}`
    })
    return { json }
  },
})
