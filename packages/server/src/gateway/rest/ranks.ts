import { type LaunchState, windowNames } from '../../engine/marketReads.ts'
import { RequestError } from '../errors.ts'
import { type GatewayChain, nowSOf } from '../gatewayChain.ts'
import { integer, requiredText, shown } from '../inputs.ts'
import { defineOperation, type Input, type Serving } from '../operation.ts'
import { arrayOf, ref } from '../schemas/words.ts'
import { type MarketTopic, marketTopics, rankTopicsOf } from './rankTopics.ts'
import { inOrder, rowsText, type TokenRef } from './tokenOrder.ts'

const limitMax = 300
// Of each chain the tokens with the best trending score: enough for a page of every topic, and read within milliseconds.
const candidatesMax = 600
const dayWindow = windowNames.indexOf('24h')
const daySeconds = 86_400
const launchStates: readonly LaunchState['state'][] = ['in', 'almost', 'out']

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
    if (!serving.chains.has(id)) {
      const ids = rankTopicsOf(serving.chains).map((topic) => topic.id)
      throw new RequestError(
        'invalid_param',
        `There is no topic ${shown(id)}; these are: ${ids.join(', ')}.`,
        'topic',
      )
    }
    return { topic: 'hot', chains: all.filter(({ profile }) => profile.name === id) }
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
    'main pair is not older than 24 hours. The name of a chain ranks that chain alone.',
  inputs: {
    topic: topicInput,
    limit: integer({
      name: 'limit',
      description: 'Rows at most.',
      ...{ default: 200, min: 1, max: limitMax },
    }),
  },
  answer: arrayOf(ref('TokenRow')),
  run({ topic: { topic, chains }, limit }, serving) {
    const refs = chains.flatMap((chain) => candidatesOf(serving, chain, topic))
    const ranked =
      topic === 'gainer' || topic === 'loser'
        ? byChange(refs, topic, serving)
        : inOrder(refs, 'tx_volume_u_24h', serving.rows)
    return { json: rowsText(ranked.slice(0, limit), serving.rows) }
  },
})

function candidatesOf({ clock }: Serving, chain: GatewayChain, topic: MarketTopic): TokenRef[] {
  const { reads } = chain
  const nowS = nowSOf(chain, clock)
  const refOf = (tokenId: number) => ({ chain, tokenId })
  const launched = () => launchStates.flatMap((state) => [...reads.launched(state)])
  if (topic === 'meme') return launched().map(refOf)
  const traded = reads.trending(nowS, 0, candidatesMax)
  if (topic !== 'new') return traded.map(refOf)
  const isNew = (tokenId: number) => nowS - bornAtS(chain, tokenId) <= daySeconds
  return [...new Set([...traded, ...launched()])].filter(isNew).map(refOf)
}

/** When the token was launched, or its main pair made. */
function bornAtS({ reads }: GatewayChain, tokenId: number): number {
  const { launch, mainPairId } = reads.tokenState(tokenId)
  if (launch !== null) return launch.createdAtS
  return mainPairId === null ? 0 : reads.pairState(mainPairId).record.createdAtS
}

/** Only what rose, or fell. */
function byChange(refs: readonly TokenRef[], topic: 'gainer' | 'loser', { clock }: Serving) {
  const sign = topic === 'gainer' ? 1 : -1
  return refs
    .map((token) => ({ ...token, value: sign * changeOf(token, clock) }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value)
}

function changeOf({ chain, tokenId }: TokenRef, clock: Serving['clock']): number {
  return chain.reads.tokenWindow(tokenId, dayWindow, nowSOf(chain, clock)).changePercent ?? 0
}
