import { windowsS } from '../../../engine/marketReads.ts'
import { decimalOfE8 } from '../../../lib/decimal.ts'
import type { Clock, GatewayChain } from '../../chain/gatewayChain.ts'
import type { PairFactsCache, TokenFacts } from '../../chain/pairFacts.ts'
import { trendingResultText, trendingTokenText } from '../../ground/rowTexts.ts'
import type { ScreenerBoards } from '../../lists/screenerBoards.ts'
import { decimalOrZero } from '../../rows/wireNumber.ts'
import type { ChainMarket } from '../chainMarket.ts'
import { PushChannel } from '../channel.ts'
import type { Subscriber } from '../feed.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { chainParams } from '../params/topicParams.ts'
import { type Push, TextPush } from '../push.ts'
import type { ChainTopic, Topic, TopicContext } from '../topic.ts'

/** Topic `trending`: all ranks of a chain, first on subscribe, then whenever the order changes. */
export const trendingTopic: Topic = {
  variants: [{ name: 'trending', params: chainParams }],
  open: (context) => (market) => new TrendingTopic(market, context),
}

class TrendingTopic implements ChainTopic {
  readonly indexes = []
  readonly #channel = new PushChannel()
  readonly #market: ChainMarket
  readonly #clock: Clock
  readonly #ranks: TrendingRanks

  constructor(market: ChainMarket, { clock, limits, screener }: TopicContext) {
    this.#market = market
    this.#clock = clock
    this.#ranks = new TrendingRanks(screener, limits.trendingRanksMax)
  }

  isEmpty(): boolean {
    return this.#channel.size === 0
  }

  /**
   * Adds a subscriber and sends it the current ranks. If the ranks changed, all other subscribers
   * get them too.
   */
  join(_: ItemTarget, subscriber: Subscriber, fromSeq: number): void {
    const isNew = this.#ranks.refresh(this.#market.chain, this.#clock)
    const push = this.#push()
    if (isNew) this.#channel.send(push)
    subscriber.send(push)
    this.#channel.add(subscriber, fromSeq, this.#market.recent.seq)
  }

  leave(_: ItemTarget, subscriber: Subscriber): void {
    this.#channel.delete(subscriber)
  }

  clearIds(): void {
    this.#ranks.clear()
  }

  afterAllTopics(): void {
    if (this.#channel.size === 0 || !this.#ranks.refresh(this.#market.chain, this.#clock)) return
    this.#channel.send(this.#push())
  }

  #push(): Push {
    const { chain, facts, name } = this.#market
    const nowMs = this.#clock.nowMs()
    const nowS = Math.max(Math.floor(nowMs / 1_000), chain.reads.head()?.timeS ?? 0)
    return new TextPush({
      result: this.#ranks.result(chain, facts, nowS),
      place: this.#market.headPosition(),
      sentMs: nowMs,
      conflateKey: `trending:${name}`,
    })
  }
}

// The order changes slowly, so reading it more often would only cost time.
const intervalMs = 1_000

/** The trending order of a chain, and the order before it. */
class TrendingRanks {
  readonly #screener: ScreenerBoards
  readonly #ranksMax: number
  #order: readonly number[] = []
  #before = new Map<number, number>()
  #readAtMs = Number.NEGATIVE_INFINITY

  constructor(screener: ScreenerBoards, ranksMax: number) {
    this.#screener = screener
    this.#ranksMax = ranksMax
  }

  /** Reads the order again if that is due. Returns true if the order changed. */
  refresh(chain: GatewayChain, clock: Clock): boolean {
    const nowMs = clock.nowMs()
    if (nowMs - this.#readAtMs < intervalMs && nowMs >= this.#readAtMs) return false
    this.#readAtMs = nowMs
    const order = this.#screener.trending(chain).ids().slice(0, this.#ranksMax)
    const isSame =
      order.length === this.#order.length && order.every((id, at) => id === this.#order[at])
    if (isSame) return false
    this.#before = new Map(this.#order.map((tokenId, at) => [tokenId, at + 1]))
    this.#order = order
    return true
  }

  result(chain: GatewayChain, facts: PairFactsCache, nowS: number): string {
    const ranked = this.#order.map(
      (tokenId, at): RankedToken => ({
        facts: facts.token(tokenId),
        rank: at + 1,
        rankBefore: this.#before.get(tokenId) ?? null,
      }),
    )
    return trendingResult(chain, ranked, nowS)
  }

  /** Clears the order, because token ids may belong to other tokens. */
  clear(): void {
    this.#order = []
    this.#before = new Map()
    this.#readAtMs = Number.NEGATIVE_INFINITY
  }
}

const dayWindow = windowsS.length - 1

type RankedToken = {
  facts: TokenFacts
  /** Trending rank of the token, starting at 1. */
  rank: number
  /** Rank of the token in the previous order; null: the token had no rank. */
  rankBefore: number | null
}

/** Result of a `trending` push: all ranks of a chain, each with its previous rank. */
function trendingResult(chain: GatewayChain, ranked: readonly RankedToken[], nowS: number): string {
  const tokens = ranked.map((token) => rankText(chain, token, nowS)).join(',')
  return trendingResultText({ chain: JSON.stringify(chain.profile.name), tokens: `[${tokens}]` })
}

function rankText({ reads }: GatewayChain, token: RankedToken, nowS: number): string {
  const { facts, rank, rankBefore } = token
  const { price, mainPairId } = reads.tokenFacts(facts.id)
  const day = reads.tokenWindow(facts.id, dayWindow, nowS)
  const mainPair = mainPairId === null ? '' : reads.pairRecord(mainPairId).address
  return trendingTokenText({
    current_price_usd: decimalOrZero(price?.usd ?? null),
    main_pair: JSON.stringify(mainPair),
    name: facts.nameJson,
    price_change_24h: decimalOrZero(day.changePercent),
    rank: `${rank}`,
    rank_before: `${rankBefore}`,
    symbol: facts.symbolJson,
    token: facts.addressJson,
    tx_count_24h: `${day.buyCount + day.sellCount}`,
    tx_volume_u_24h: decimalOfE8(day.buyVolumeUsdE8 + day.sellVolumeUsdE8),
  })
}
