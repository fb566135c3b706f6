import type { RankTopic } from '@chaintape/protocol'
import {
  chainNowS,
  type GatewayChain,
  type GatewayChains,
  requireReadyChain,
} from '../../chain/gatewayChain.ts'
import { RequestError } from '../../ground/errors.ts'
import { arraySchema, componentRef } from '../../ground/schemas.ts'
import { runInSlices } from '../../ground/steps.ts'
import {
  type Input,
  optionalChainInput,
  quoteInput,
  requiredTextInput,
  rowLimitInput,
} from '../../inputs/inputs.ts'
import type { ColumnRange } from '../../lists/board.ts'
import type { BoardSelection } from '../../lists/screenerPage.ts'
import {
  launchStates,
  noLaunchCode,
  type TokenMeasureName,
  tokenColumn,
  tokenFilterColumns,
} from '../../lists/tokenMeasures.ts'
import { scoredRange } from '../../lists/trending.ts'
import { defineOperation, type OperationContext } from '../operation.ts'
import { publicChainNames } from '../service/supportedChains.ts'
import { encodeTokenPage, firstTokensQuery } from './tokenPage.ts'

const limitMax = 300
// Gainers and losers are taken from the tokens with the best trending scores: among all tokens,
// many are moved by a single trade.
const changeCandidatesMax = 600
const daySeconds = 86_400

/**
 * A parsed topic. Empty `chains`: a known topic of the public service that selects nothing here.
 */
type Topic = { topic: MarketTopic; chains: readonly GatewayChain[] }

const topicText = requiredTextInput({
  name: 'topic',
  description: 'A topic of /v2/ranks/topics.',
  example: 'hot',
})

const topicInput: Input<Topic> = {
  ...topicText,
  parse(given, serving) {
    const id = topicText.parse(given, serving)
    const all = [...serving.chains.values()].filter(({ reads }) => reads.head() !== null)
    const market = marketTopics.find((topic) => topic.id === id)
    if (market !== undefined) return { topic: market.id, chains: all }
    if (serving.isCompatible && !serving.chains.has(id) && publicTopics.has(id))
      return { topic: 'hot', chains: [] }
    if (!serving.chains.has(id)) {
      const ids = rankTopicsOf(serving.chains).map((topic) => topic.id)
      throw new RequestError(
        'invalid_param',
        `Unknown topic ${quoteInput(id)}. The topics are: ${ids.join(', ')}.`,
        'topic',
      )
    }
    return { topic: 'hot', chains: [requireReadyChain(serving.chains, id, 'topic')] }
  },
}

/** GET /v2/ranks: tokens of a topic by volume or by price change. */
export const ranks = defineOperation({
  id: 'ranks',
  method: 'GET',
  path: '/v2/ranks',
  cost: 10,
  tag: 'ranks',
  summary: 'Tokens of a topic, ranked',
  description:
    'Tokens with a trending score by 24-hour volume, largest first. `gainer` and `loser`: by 24-hour price change, among the ' +
    `${changeCandidatesMax} tokens of each chain with the best score. ` +
    '`meme`: every token of a launch platform; `new`: tokens whose launch or first pair is known and at most ' +
    '24 hours old. The name of a chain ranks only that chain.',
  inputs: {
    topic: topicInput,
    chain: optionalChainInput,
    limit: rowLimitInput({ description: 'Maximum number of rows.', default: 200, max: limitMax }),
  },
  hasEtag: true,
  answer: arraySchema(componentRef('TokenRow')),
  async run({ topic: { topic, chains: ofTopic }, chain: only, limit }, serving) {
    const { scheduler } = serving
    const chains = only === null ? ofTopic : ofTopic.filter((chain) => chain === only)
    const rule = rankRules[topic]
    const selections = await Promise.all(chains.map((chain) => rule.select(chain, serving)))
    const query = firstTokensQuery(selections.flat(), { ...rule, limit })
    return {
      json: await runInSlices(scheduler, chains, (pause) => encodeTokenPage(query, serving, pause)),
    }
  },
})

type RankRule = {
  sort: TokenMeasureName
  /** Direction of the ranking: -1 orders smallest first. @default 1 */
  sign?: 1 | -1
  select(chain: GatewayChain, serving: OperationContext): Promise<readonly BoardSelection[]>
}

const change = tokenColumn('change_24h')
const rose: ColumnRange = { column: change, min: Number.MIN_VALUE, max: Number.POSITIVE_INFINITY }
const fell: ColumnRange = { column: change, min: Number.NEGATIVE_INFINITY, max: -Number.MIN_VALUE }
const isLaunch: ColumnRange = {
  column: tokenFilterColumns.launch,
  min: 0,
  max: launchStates.length,
}
const isNoLaunch: ColumnRange = {
  column: tokenFilterColumns.launch,
  min: noLaunchCode,
  max: noLaunchCode,
}

/** Selects the tokens with the best scores whose 24-hour price change is within `range`. */
const changed = (range: ColumnRange): RankRule['select'] =>
  async function select(chain, { screener, scheduler }) {
    const board = await screener.tradedBoard(chain, scheduler)
    const last = screener.trending(chain).ids()[changeCandidatesMax - 1]
    const isBest =
      last === undefined
        ? scoredRange
        : { ...scoredRange, min: board.value(last, scoredRange.column) }
    return [{ chain, board, ranges: [isBest, range] }]
  }

const rankRules: Readonly<Record<MarketTopic, RankRule>> = {
  hot: {
    sort: 'volume_24h',
    async select(chain, { screener, scheduler }) {
      return [{ chain, board: await screener.tradedBoard(chain, scheduler), ranges: [scoredRange] }]
    },
  },
  gainer: { sort: 'change_24h', select: changed(rose) },
  loser: { sort: 'change_24h', sign: -1, select: changed(fell) },
  meme: {
    sort: 'volume_24h',
    async select(chain, { screener, scheduler }) {
      return [{ chain, board: await screener.launchedBoard(chain, scheduler), ranges: [isLaunch] }]
    },
  },
  new: {
    sort: 'volume_24h',
    async select(chain, { screener, scheduler, clock }) {
      const board = await screener.launchedBoard(chain, scheduler)
      const min = chainNowS(chain, clock) - daySeconds
      const isNew = { column: tokenColumn('created_at'), min, max: Number.POSITIVE_INFINITY }
      return [
        { chain, board, ranges: [isNew, isLaunch] },
        { chain, board, ranges: [isNew, isNoLaunch, scoredRange] },
      ]
    },
  },
}

export const marketTopics = [
  { id: 'hot', name_en: 'Hot', name_zh: '热门' },
  { id: 'meme', name_en: 'Meme', name_zh: 'Meme' },
  { id: 'gainer', name_en: 'Top gainers', name_zh: '涨幅榜' },
  { id: 'loser', name_en: 'Top losers', name_zh: '跌幅榜' },
  { id: 'new', name_en: 'New', name_zh: '新币' },
] as const

export type MarketTopic = (typeof marketTopics)[number]['id']

/**
 * Topics of the public service. Those not served here are answered with an empty list in
 * compatibility mode.
 */
export const publicTopics: ReadonlySet<string> = new Set([
  ...['depin', 'ai', 'l2', 'gamefi', 'rwa', 'BSC-Meme-Boost'],
  ...['solana', 'bsc', 'eth', 'base', 'arbitrum', 'blast', 'polygon', 'optimism', 'avalanche'],
  'merlin',
])

/** Returns the topics of the whole market, and one topic for each chain. */
export function rankTopicsOf(chains: GatewayChains): RankTopic[] {
  const ofChains = [...chains.keys()].map((id) => {
    const { name } = publicChainNames(id)
    return { id, name_en: name, name_zh: name }
  })
  return [...marketTopics, ...ofChains]
}

export const rankTopics = defineOperation({
  id: 'rankTopics',
  method: 'GET',
  path: '/v2/ranks/topics',
  cost: 10,
  tag: 'ranks',
  summary: 'Topics for ranking tokens',
  inputs: {},
  answer: arraySchema(componentRef('RankTopic')),
  run: (_, { chains }) => ({ json: JSON.stringify(rankTopicsOf(chains)) }),
})
