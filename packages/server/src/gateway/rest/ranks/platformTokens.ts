import { chainNowS, type GatewayChain } from '../../chain/gatewayChain.ts'
import { RequestError } from '../../ground/errors.ts'
import { runInSlices } from '../../ground/runInSlices.ts'
import { arraySchema, componentRef } from '../../ground/schemas.ts'
import {
  type Input,
  orderInput,
  quoteInput,
  requiredTextInput,
  rowLimitInput,
} from '../../inputs/inputs.ts'
import { wordRanges } from '../../lists/screenerInputs.ts'
import type { BoardSelection } from '../../lists/screenerPage.ts'
import { tokenFilterColumns } from '../../lists/tokenMeasures.ts'
import { defineOperation, type OperationContext } from '../operation.ts'
import { servedTags, type TagRule, tagRule } from './platformTags.ts'
import { encodeTokenPage, firstTokensQuery } from './tokenPage.ts'

const limitMax = 300

const tagText = requiredTextInput({
  name: 'tag',
  description:
    '`<platform>_in_hot`, `<platform>_in_new`, `<platform>_in_almost`, `<platform>_out_hot` or `<platform>_out_new`, ' +
    'or one of the words `meme`, `hot` and `new` for all platforms.',
  example: 'meme',
})

const tagInput: Input<TagRule | 'none'> = {
  ...tagText,
  parse(text, serving) {
    const tag = tagText.parse(text, serving)
    const rule = tagRule(tag, serving.chains)
    if (rule === null)
      throw new RequestError(
        'invalid_param',
        `There is no tag ${quoteInput(tag)}; these are: ${servedTags(serving.chains).join(', ')}.`,
        'tag',
      )
    return rule
  },
}

/** GET /v2/tokens/platform: tokens of launch platforms by tag. */
export const platformTokens = defineOperation({
  id: 'platformTokens',
  method: 'GET',
  path: '/v2/tokens/platform',
  cost: 10,
  tag: 'tokens',
  summary: 'Tokens of launch platforms by tag',
  description:
    '`in` is still on the bonding curve, `out` has graduated to a DEX. `new` was created, or for `out` graduated, in ' +
    'the last 24 hours; `hot` was traded in them; `almost` has a curve that is at least 80 % full; `meme` is every ' +
    'token of a launch platform. The tag selects, `orderby` orders. Tokens are of all chains.',
  inputs: {
    rule: tagInput,
    limit: rowLimitInput({ description: 'Rows at most.', default: 100, max: limitMax }),
    orderby: orderInput({
      name: 'orderby',
      description: 'What the rows are ordered by, largest first.',
      words: ['tx_volume_u_24h', 'main_pair_tvl'],
      default: 'tx_volume_u_24h',
    }),
  },
  hasEtag: true,
  answer: arraySchema(componentRef('TokenRow')),
  async run({ rule, limit, orderby }, serving) {
    if (rule === 'none') return { json: '[]' }
    const { chains, scheduler } = serving
    const served = [...chains.values()].filter(({ profile }) => profile.launchPlatforms.length > 0)
    const selections = await Promise.all(served.map((chain) => selectedOf(chain, rule, serving)))
    const query = firstTokensQuery(selections.flat(), { sort: sortOf[orderby], limit })
    return {
      json: await runInSlices(scheduler, served, (pause) => encodeTokenPage(query, serving, pause)),
    }
  },
})

const sortOf = { tx_volume_u_24h: 'volume_24h', main_pair_tvl: 'liquidity' } as const

async function selectedOf(
  chain: GatewayChain,
  { platform, ranges }: TagRule,
  { screener, scheduler, clock }: OperationContext,
): Promise<readonly BoardSelection[]> {
  const board = await screener.launchedBoard(chain, scheduler)
  const ofPlatform = wordRanges(board.words, [[tokenFilterColumns.platform, platform]])
  if (ofPlatform === null) return []
  return [{ chain, board, ranges: [...ofPlatform, ...ranges(chainNowS(chain, clock))] }]
}
