import { windowNames } from '../../../engine/marketReads.ts'
import { RequestError } from '../../errors.ts'
import { type Clock, chainOf, type GatewayChain, nowSOf } from '../../gatewayChain.ts'
import { optionalChain, requiredText, rowLimit, shown } from '../../operation/inputs.ts'
import { defineOperation, type Input, type Serving } from '../../operation/operation.ts'
import { arrayOf, ref } from '../../operation/schemas.ts'
import type { MarketRows } from '../../rows/marketRows.ts'
import { type Pause, runInSlices } from '../../turns/runInSlices.ts'
import { orderedBy, orderedRows, type TokenRef } from '../tokens/tokenOrder.ts'
import { type MarketTopic, marketTopics, publicTopics, rankTopicsOf } from './rankTopics.ts'
import { trendingReady } from './trendingKeeper.ts'

const limitMax = 300
// Of each chain the tokens with the best trending score: enough for a page of every topic, and read within milliseconds.
const candidatesMax = 600
const dayWindow = windowNames.indexOf('24h')
const daySeconds = 86_400

/** Without chains the topic is known, and nothing here is of it. */
type Topic = { topic: MarketTopic; chains: readonly GatewayChain[] }

const topicText = requiredText({
  name: 'topic',
  description: 'One of /v2/ranks/topics.',
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
        `There is no topic ${shown(id)}; these are: ${ids.join(', ')}.`,
        'topic',
      )
    }
    return { topic: 'hot', chains: [chainOf(serving.chains, id, 'topic')] }
  },
}

/** Tokens by volume or by price change. */
export const ranks = defineOperation({
  id: 'ranks',
  method: 'GET',
  path: '/v2/ranks',
  cost: 10,
  tag: 'ranks',
  summary: 'Tokens of a topic, ranked',
  description:
    `Among the ${candidatesMax} tokens of each chain with the best trending score, by 24 hour volume, largest first; ` +
    'gainer and loser by 24 hour price change. `meme` is every token of a launch platform, `new` those whose launch or ' +
    'first pair is known and not older than 24 hours. The name of a chain ranks that chain alone.',
  inputs: {
    topic: topicInput,
    chain: optionalChain,
    limit: rowLimit({ description: 'Rows at most.', default: 200, max: limitMax }),
  },
  isTagged: true,
  answer: arrayOf(ref('TokenRow')),
  async run({ topic: { topic, chains: ofTopic }, chain: only, limit }, serving) {
    const { rows, turns, clock } = serving
    const chains = only === null ? ofTopic : ofTopic.filter((chain) => chain === only)
    const json = await runInSlices(turns, chains, async (pause) => {
      const refs: TokenRef[] = []
      for (const chain of chains) {
        const some = await candidatesOf(serving, chain, topic, pause)
        if (some === null) return null
        refs.push(...some)
      }
      const rankOf = valueOfTopic(topic, rows, clock)
      const ranked = await rankedOf(refs, rankOf, pause)
      if (ranked === null) return null
      // Only what rose, or fell.
      const isChange = topic === 'gainer' || topic === 'loser'
      const kept = isChange ? ranked.filter(({ value }) => value > 0) : ranked
      const shown = kept.slice(0, limit).map(({ ref }) => ref)
      return orderedRows(shown, rankOf, rows, pause)
    })
    return { json }
  },
})

function valueOfTopic(
  topic: MarketTopic,
  rows: MarketRows,
  clock: Clock,
): (ref: TokenRef) => number {
  if (topic !== 'gainer' && topic !== 'loser') return orderedBy('tx_volume_u_24h', rows, clock)
  const sign = topic === 'gainer' ? 1 : -1
  return ({ chain, tokenId }) =>
    sign * (chain.reads.tokenChange(tokenId, dayWindow, nowSOf(chain, clock)) ?? 0)
}

async function rankedOf(
  refs: readonly TokenRef[],
  rankOf: (ref: TokenRef) => number,
  pause: Pause,
): Promise<{ ref: TokenRef; value: number }[] | null> {
  const ranked: { ref: TokenRef; value: number }[] = []
  for (const ref of refs) {
    const pausing = pause()
    if (pausing !== null && !(await pausing)) return null
    ranked.push({ ref, value: rankOf(ref) })
  }
  return ranked.sort((a, b) => b.value - a.value)
}

async function candidatesOf(
  { clock, rows, turns }: Serving,
  chain: GatewayChain,
  topic: MarketTopic,
  pause: Pause,
): Promise<readonly TokenRef[] | null> {
  const { reads } = chain
  const refOf = (tokenId: number) => ({ chain, tokenId })
  const isNew = (sinceS: number) => sinceS > 0 && nowSOf(chain, clock) - sinceS <= daySeconds
  const launched: number[] = []
  if (topic === 'meme' || topic === 'new') {
    const { byVolume } = await rows.launches.of(chain, turns)
    for (const { tokenId, address, launch } of byVolume) {
      if (launched.length >= candidatesMax) break
      const isOfTopic = topic === 'meme' || isNew(launch.createdAtS)
      if (isOfTopic && reads.findToken(address) === tokenId) launched.push(tokenId)
    }
    if (topic === 'meme') return launched.map(refOf)
  }
  if (!(await trendingReady(chain, clock, pause))) return null
  const trending = reads.trending(nowSOf(chain, clock), 0, candidatesMax)
  if (topic !== 'new') return trending.map(refOf)
  const found = new Set<number>()
  for (const tokenId of trending) {
    const pausing = pause()
    if (pausing !== null && !(await pausing)) return null
    if (isNew(bornAtS(chain, tokenId))) found.add(tokenId)
  }
  for (const tokenId of launched) found.add(tokenId)
  return [...found].map(refOf)
}

/** When the token was launched, or its first pair made; 0: not known. */
function bornAtS({ reads }: GatewayChain, tokenId: number): number {
  const launch = reads.launchOf(tokenId)
  return launch === null ? reads.tokenFacts(tokenId).launchedAtS : launch.createdAtS
}
