import { textOf } from '../../operation/encoded.ts'
import { optionalChain } from '../../operation/inputs.ts'
import { defineOperation } from '../../operation/operation.ts'
import { ref } from '../../operation/schemas.ts'
import { pairScreen } from '../../screener/pairScreen.ts'
import { inputsOf, pageQueryOf } from '../../screener/screen.ts'
import { screenedPage } from '../../screener/screenedPage.ts'
import { screenedBoards, screenerLimitMax } from './screener.ts'

/** Pairs by any of their numbers. */
export const screenerPairs = defineOperation({
  id: 'screenerPairs',
  method: 'GET',
  path: '/v2/screener/pairs',
  cost: 20,
  tag: 'ranks',
  summary: 'Pairs selected and ordered by their numbers',
  description:
    'All pairs with a price that are within every given bound. Rows are as they are now; which pairs are looked at is up to ' +
    'a minute old where a chain has hundreds of thousands. `next_cursor` is empty on the last page.',
  inputs: { chain: optionalChain, ...inputsOf(pairScreen, screenerLimitMax) },
  answer: ref('ScreenerPairs'),
  async run(values, serving) {
    const { found, inSlices } = await screenedBoards(pairScreen, values, serving)
    const query = pageQueryOf(pairScreen, values, found)
    const json = await inSlices(async (pause) => {
      const page = await screenedPage(query, serving.clock, pause)
      if (page === null) return null
      // In one go, so that they are in the order of what they show.
      const texts = page.rows.map(({ chain, id }) => textOf(serving.rows.pairDetail(chain, id)))
      return `{"next_cursor":${JSON.stringify(page.next)},"pairs":[${texts.join()}]}`
    })
    return { json }
  },
})
