import { chainNowS, type GatewayChain, type GatewayChains } from '../../chain/gatewayChain.ts'
import { RequestError } from '../../ground/errors.ts'
import { arraySchema, componentRef } from '../../ground/schemas.ts'
import { runInSlices } from '../../ground/steps.ts'
import {
  type Input,
  orderInput,
  quoteInput,
  requiredTextInput,
  rowLimitInput,
} from '../../inputs/inputs.ts'
import type { ColumnRange } from '../../lists/board.ts'
import { wordRanges } from '../../lists/screenerInputs.ts'
import type { BoardSelection } from '../../lists/screenerPage.ts'
import { launchStates, tokenColumn, tokenFilterColumns } from '../../lists/tokenMeasures.ts'
import { defineOperation, type OperationContext } from '../operation.ts'
import { encodeTokenPage, firstTokensQuery } from './tokenPage.ts'

const limitMax = 300

const tagText = requiredTextInput({
  name: 'tag',
  description:
    '`<platform>_in_hot`, `<platform>_in_new`, `<platform>_in_almost`, `<platform>_out_hot` or `<platform>_out_new`, ' +
    'or `meme`, `hot` or `new` for all platforms.',
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
        `Unknown tag ${quoteInput(tag)}. The tags are: ${servedTags(serving.chains).join(', ')}.`,
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
    '`in`: still on the bonding curve; `out`: graduated to a DEX. `new`: created, or for `out` graduated, in ' +
    'the last 24 hours; `hot`: traded in the last 24 hours; `almost`: the curve is at least 80 % full; `meme`: every ' +
    'token of a launch platform. The tag filters, `orderby` sorts. Rows come from all chains.',
  inputs: {
    rule: tagInput,
    limit: rowLimitInput({ description: 'Maximum number of rows.', default: 100, max: limitMax }),
    orderby: orderInput({
      name: 'orderby',
      description: 'Sort key, largest first.',
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

/** The tokens that a tag selects. A null platform means all launch platforms. */
export type TagRule = {
  platform: string | null
  ranges(nowS: number): readonly ColumnRange[]
}

const daySeconds = 86_400

const within = (column: number, min: number, max: number): ColumnRange => ({ column, min, max })
const codeOf = (state: (typeof launchStates)[number]) => launchStates.indexOf(state)
const inState = (first: number, last: number) => within(tokenFilterColumns.launch, first, last)
const since = (column: number, nowS: number) => within(column, nowS - daySeconds + 1, Infinity)

const isAny = inState(0, launchStates.length)
const isIn = inState(codeOf('in'), codeOf('almost'))
const isAlmost = inState(codeOf('almost'), codeOf('almost'))
const isOut = inState(codeOf('out'), codeOf('out'))
const isTraded = within(tokenColumn('trades_24h'), 1, Infinity)
const isNew = (nowS: number) => since(tokenColumn('created_at'), nowS)

/** Rules of tags that start with a platform name, by the rest of the tag. */
const suffixes: Readonly<Record<string, TagRule['ranges']>> = {
  in_hot: () => [isIn, isTraded],
  in_new: (nowS) => [isIn, isNew(nowS)],
  in_almost: () => [isAlmost],
  out_hot: () => [isOut, isTraded],
  out_new: (nowS) => [isOut, since(tokenFilterColumns.graduatedAt, nowS)],
}

/** Rules of the tags that cover all launch platforms (`meme`, `hot`, `new`). */
const words: Readonly<Record<string, TagRule['ranges']>> = {
  meme: () => [isAny],
  hot: () => [isAny, isTraded],
  new: (nowS) => [isAny, isNew(nowS)],
}

const all = ['in_almost', 'in_hot', 'in_new', 'out_hot', 'out_new']
const noHot = ['in_almost', 'in_new', 'out_new']
const noAlmost = ['in_hot', 'in_new', 'out_hot', 'out_new']

/**
 * Platforms that existing clients request, with the tags they use, whether or not a chain here has
 * them.
 */
const knownPlatforms: Readonly<Record<string, readonly string[]>> = {
  bn: all,
  bonk: all,
  boop: all,
  cookpump: all,
  flap: all,
  fourmeme: all,
  grafun: all,
  nadfun: all,
  pump: all,
  pump_all: all,
  sunpump: all,
  xflap: all,
  bankr: noHot,
  baseapp: noHot,
  basememe: noHot,
  clanker: noHot,
  klik: noHot,
  zoracontent: noHot,
  zoracreator: noHot,
  meteora: noAlmost,
  xdyorswap: noAlmost,
  heaven: ['in_almost', 'in_new', 'out_hot'],
  moonshot: ['in_hot', 'out_hot'],
  movepump: ['in_hot', 'out_hot'],
  popme: ['in_new', 'out_new'],
}

/** Tags of lists that other services curate by hand. Known, but always empty here. */
const knownWords = ['alpha', 'bsc_hot', 'gold', 'inclusion']

const knownTags: ReadonlySet<string> = new Set([
  ...knownWords,
  ...Object.entries(knownPlatforms).flatMap(([platform, ends]) =>
    ends.map((end) => `${platform}_${end}`),
  ),
])

function servedPlatforms(chains: GatewayChains): string[] {
  const platforms = [...chains.values()].flatMap(({ profile }) =>
    profile.launchPlatforms.map(({ platform }) => platform),
  )
  return [...new Set(platforms)].sort()
}

/** Returns every tag that may select tokens on the configured chains. */
export function servedTags(chains: GatewayChains): string[] {
  const ofPlatforms = servedPlatforms(chains).flatMap((platform) =>
    Object.keys(suffixes).map((end) => `${platform}_${end}`),
  )
  return [...ofPlatforms, ...Object.keys(words)]
}

/**
 * Returns the rule of a tag. `none`: a known tag that selects nothing on these chains. Null: an
 * unknown tag.
 */
export function tagRule(tag: string, chains: GatewayChains): TagRule | 'none' | null {
  if (Object.hasOwn(words, tag)) return { platform: null, ranges: words[tag]! }
  const [, platform = '', end = ''] = /^(.+)_([^_]+_[^_]+)$/.exec(tag) ?? []
  if (Object.hasOwn(suffixes, end) && servedPlatforms(chains).includes(platform))
    return { platform, ranges: suffixes[end]! }
  return knownTags.has(tag) ? 'none' : null
}
