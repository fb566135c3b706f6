import { RequestError } from '../../errors.ts'
import { nowSOf } from '../../gatewayChain.ts'
import { order, requiredText, rowLimit, shown } from '../../operation/inputs.ts'
import { defineOperation, type Input } from '../../operation/operation.ts'
import { arrayOf, ref } from '../../operation/schemas.ts'
import type { LaunchEntry } from '../../rows/launchBoard.ts'
import { runInSlices } from '../../turns/runInSlices.ts'
import { orderedBy, orderedRows } from '../tokens/tokenOrder.ts'
import { servedTags, type TagRule, tagRule } from './platformTags.ts'

const limitMax = 300

const tagText = requiredText({
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
        `There is no tag ${shown(tag)}; these are: ${servedTags(serving.chains).join(', ')}.`,
        'tag',
      )
    return rule
  },
}

/** Tokens of launch platforms. */
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
    limit: rowLimit({ description: 'Rows at most.', default: 100, max: limitMax }),
    orderby: order({
      name: 'orderby',
      description: 'What the rows are ordered by, largest first.',
      words: ['tx_volume_u_24h', 'main_pair_tvl'],
      default: 'tx_volume_u_24h',
    }),
  },
  isTagged: true,
  answer: arrayOf(ref('TokenRow')),
  async run({ rule, limit, orderby }, { chains, clock, rows, turns }) {
    if (rule === 'none') return { json: '[]' }
    const served = [...chains.values()]
    const json = await runInSlices(turns, served, async (pause) => {
      const lists = await Promise.all(served.map((chain) => rows.launches.of(chain, turns)))
      const selected = served
        .flatMap((chain, at) => {
          const inOrder = orderby === 'main_pair_tvl' ? lists[at]!.byTvl : lists[at]!.byVolume
          return selectedOf(inOrder, rule, nowSOf(chain, clock), limit)
        })
        .sort((a, b) => boardFigure[orderby](b) - boardFigure[orderby](a))
        .slice(0, limit)
      return orderedRows(selected, orderedBy(orderby, rows, clock), rows, pause)
    })
    return { json }
  },
})

const boardFigure = {
  tx_volume_u_24h: ({ volume24hUsd }: LaunchEntry) => volume24hUsd,
  main_pair_tvl: ({ mainPairTvlUsd }: LaunchEntry) => mainPairTvlUsd,
}

/** The first that the rule selects. */
function selectedOf(
  entries: readonly LaunchEntry[],
  { platform, selects }: TagRule,
  nowS: number,
  limit: number,
): LaunchEntry[] {
  const selected: LaunchEntry[] = []
  for (const entry of entries) {
    if (selected.length >= limit) break
    const { chain, tokenId, address, launch } = entry
    if ((platform !== null && launch.platform !== platform) || !selects(entry, nowS)) continue
    // The board may be a moment older than the rows, and a reorg may have taken a token back.
    if (chain.reads.findToken(address) === tokenId) selected.push(entry)
  }
  return selected
}
