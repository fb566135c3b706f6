import { decimalOfRaw } from '../../../lib/decimal.ts'
import type { PairMilestone } from '../../../model/pairMilestones.ts'
import { isTotalSupplyKnown } from '../../../model/token.ts'
import type { PairFacts } from '../../chain/pairFacts.ts'
import type { RecentBlock } from '../../chain/recentBlock.ts'
import { launchesResultText, launchText } from '../../ground/rowTexts.ts'
import { decimalOrZero } from '../../rows/wireNumber.ts'
import type { ChainMarket } from '../chainMarket.ts'
import { type FindPairFacts, type PairNewsItem, PairNewsTopic } from '../pairNewsTopic.ts'
import { chainParams } from '../params/topicParams.ts'
import type { Topic } from '../topic.ts'
import { jsonString, markFields, type ResultMark } from '../tradeTexts.ts'

/**
 * Topic `launches`: tokens of launch platforms when they are created, at each tenth of the bonding
 * curve, and when they graduate.
 */
export const launchesTopic: Topic = {
  variants: [{ name: 'launches', params: chainParams }],
  open:
    ({ clock }) =>
    (market) =>
      new LaunchesTopic(market, clock),
}

/**
 * News of a launch. `index` counts the block's pair news first and its curve steps after them,
 * because the store has only pair news.
 */
type LaunchNewsItem = PairNewsItem & {
  event: 'created' | 'progress' | 'graduated'
  /**
   * How much of the curve was filled at this step, in millionths; null: the news is not a curve
   * step.
   */
  filledPpm: number | null
}

class LaunchesTopic extends PairNewsTopic<LaunchNewsItem> {
  protected newsOf(block: RecentBlock, factsOf: FindPairFacts): LaunchNewsItem[] {
    return launchNewsOf(block, factsOf)
  }

  protected storedNewsOf({ event, pairId }: PairMilestone, index: number): LaunchNewsItem | null {
    const pair = this.market.facts.get(pairId)
    return isLaunchNews(event, pair) ? { event, index, pair, filledPpm: null } : null
  }

  protected resultOf(news: LaunchNewsItem, mark: ResultMark): string {
    const { snapshot, retracted } = markFields(mark)
    const id = JSON.stringify(`${news.pair.target.address}-${this.market.name}`)
    const launch = launchOf(this.market, news, mark === 'retracted')
    return launchesResultText({ snapshot, retracted, event: news.event, id, launch })
  }
}

/** News of launches in a block, ordered by index. */
function launchNewsOf(block: RecentBlock, factsOf: FindPairFacts): LaunchNewsItem[] {
  const ofPairs = block.pairNews()
  const news: LaunchNewsItem[] = []
  for (const [index, { event, pairId }] of ofPairs.entries()) {
    const pair = factsOf(pairId)
    if (pair !== undefined && isLaunchNews(event, pair))
      news.push({ event, index, pair, filledPpm: null })
  }
  const graduated = new Set(
    news.flatMap(({ event, pair }) => (event === 'graduated' ? [pair.target.id] : [])),
  )
  for (const [at, { pairId, tokenId, filledPpm }] of block.curveSteps().entries()) {
    const pair = factsOf(pairId)
    // The last step of a bonding curve is reported as its graduation.
    if (pair === undefined || graduated.has(tokenId)) continue
    news.push({ event: 'progress', index: ofPairs.length + at, pair, filledPpm })
  }
  return news
}

/**
 * Whether pair news are about a launch. A created pair is a launch if it is a platform's bonding
 * curve.
 */
function isLaunchNews(event: PairMilestone['event'], { tagJson }: PairFacts): boolean {
  return event === 'graduated' || tagJson !== '""'
}

const allPpm = 1_000_000

/**
 * The launched token in its current state, as JSON. Values of a reverted launch are treated as
 * unknown.
 */
function launchOf(
  { chain: { reads } }: ChainMarket,
  { event, pair, filledPpm }: LaunchNewsItem,
  isReverted: boolean,
): string {
  const { target } = pair
  const isKnown = !isReverted && reads.findToken(target.address) === target.id
  const state = isKnown ? reads.launchOf(target.id) : null
  const worth = isKnown ? reads.tokenWorth(target.id) : null
  const supply = isKnown ? reads.tokenSupply(target.id) : null
  const nowPpm = event === 'graduated' ? allPpm : (state?.filledPpm ?? 0)
  return launchText({
    amm: pair.ammJson,
    chain: pair.chainJson,
    created_at: state === null ? null : `${state.createdAtS}`,
    creator: state === null ? null : jsonString(state.creator),
    current_price_usd: worth === null ? null : decimalOrZero(worth.priceUsd),
    decimal: `${target.decimals}`,
    holders: worth === null ? null : `${worth.holders}`,
    market_cap: worth?.isSupplyKnown ? decimalOrZero(worth.marketCapUsd) : null,
    name: target.nameJson,
    pair: pair.addressJson,
    platform: state === null ? pair.tagJson : JSON.stringify(state.platform),
    progress: decimalOrZero((filledPpm ?? nowPpm) / allPpm),
    symbol: target.symbolJson,
    token: target.addressJson,
    total: isTotalSupplyKnown(supply) ? decimalOfRaw(supply.total, target.decimals) : null,
  })
}
