import type { RankTopic } from '@chaintape/protocol'
import type { GatewayChains } from '../../chain/gatewayChain.ts'
import { arraySchema, componentRef } from '../../ground/schemas.ts'
import { defineOperation } from '../operation.ts'
import { publicChainNames } from '../service/supportedChains.ts'

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
  summary: 'Topics that tokens are ranked by',
  inputs: {},
  answer: arraySchema(componentRef('RankTopic')),
  run: (_, { chains }) => ({ json: JSON.stringify(rankTopicsOf(chains)) }),
})
