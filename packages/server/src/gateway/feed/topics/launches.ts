import { decimalOfRaw } from '../../../lib/decimal.ts'
import type { PairNews } from '../../../model/pairNews.ts'
import { isTotalKnown } from '../../../model/token.ts'
import type { RecentBlock } from '../../recent/recentBlock.ts'
import { decimalOrZero } from '../../rows/wireNumber.ts'
import { launchesResultText, launchText } from '../../rowTexts.ts'
import type { ChainMarket } from '../chainMarket.ts'
import { type FactsOf, type News, NewsTopic } from '../newsTopic.ts'
import type { PairFacts } from '../pairFacts.ts'
import { chainParams } from '../params/topicParams.ts'
import type { Topic } from '../topic.ts'
import { jsonWord, marksOf, type ResultMark } from '../tradeTexts.ts'

/**
 * Topic `launches`: tokens of launch platforms when they are created, at each tenth of the bonding
 * curve, and when they graduate.
 */
export const launches: Topic = {
  words: [{ name: 'launches', params: chainParams }],
  open:
    ({ clock }) =>
    (market) =>
      new LaunchesTopic(market, clock),
}

/**
 * News of a launch. `index` counts the block's pair news first and its curve steps after them,
 * because the store has only pair news.
 */
type LaunchNews = News & {
  event: 'created' | 'progress' | 'graduated'
  /**
   * How much of the curve was filled at this step, in millionths; null: the news is not a curve
   * step.
   */
  filledPpm: number | null
}

class LaunchesTopic extends NewsTopic<LaunchNews> {
  protected newsOf(block: RecentBlock, factsOf: FactsOf): LaunchNews[] {
    return launchNewsOf(block, factsOf)
  }

  protected storedNewsOf({ event, pairId }: PairNews, index: number): LaunchNews | null {
    const pair = this.market.facts.get(pairId)
    return isOfLaunch(event, pair) ? { event, index, pair, filledPpm: null } : null
  }

  protected resultOf(news: LaunchNews, mark: ResultMark): string {
    const { snapshot, retracted } = marksOf(mark)
    const id = JSON.stringify(`${news.pair.target.address}-${this.market.name}`)
    const launch = launchOf(this.market, news, mark === 'retracted')
    return launchesResultText({ snapshot, retracted, event: news.event, id, launch })
  }
}

/** News of launches in a block, ordered by index. */
function launchNewsOf(block: RecentBlock, factsOf: FactsOf): LaunchNews[] {
  const ofPairs = block.news()
  const news: LaunchNews[] = []
  for (const [index, { event, pairId }] of ofPairs.entries()) {
    const pair = factsOf(pairId)
    if (pair !== undefined && isOfLaunch(event, pair))
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
function isOfLaunch(event: PairNews['event'], { tagJson }: PairFacts): boolean {
  return event === 'graduated' || tagJson !== '""'
}

const allPpm = 1_000_000

/**
 * The launched token in its current state, as JSON. Values of a reverted launch are treated as
 * unknown.
 */
function launchOf(
  { chain: { reads } }: ChainMarket,
  { event, pair, filledPpm }: LaunchNews,
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
    creator: state === null ? null : jsonWord(state.creator),
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
    total: isTotalKnown(supply) ? decimalOfRaw(supply.total, target.decimals) : null,
  })
}
