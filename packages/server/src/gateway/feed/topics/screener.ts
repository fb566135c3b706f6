import type { Logger } from '../../../lib/logger.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import type { PairFacts, TokenFacts } from '../../chain/pairFacts.ts'
import { screenedRowText, screenerResultText } from '../../ground/rowTexts.ts'
import type { Scheduler } from '../../ground/scheduler.ts'
import { runInSlices } from '../../ground/steps.ts'
import type { ScreenerBoard } from '../../lists/board.ts'
import { type PairMeasureName, pairColumn } from '../../lists/pairScreener.ts'
import type { ScreenerBoards } from '../../lists/screenerBoards.ts'
import { pageQueryOf } from '../../lists/screenerKind.ts'
import { readScreenerPage } from '../../lists/screenerPage.ts'
import {
  type TokenMeasureName,
  tokenColumn,
  tokenFilterColumns,
} from '../../lists/tokenMeasures.ts'
import { decimalOrZero } from '../../rows/wireNumber.ts'
import type { ChainMarket } from '../chainMarket.ts'
import { PushChannel } from '../channel.ts'
import type { Subscriber } from '../feed.ts'
import { KeyedTopic } from '../keyedTopic.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import {
  type RowKind,
  type ScreenerFilter,
  screenerFilterOf,
  screenerParams,
} from '../params/screenerParams.ts'
import { type Push, TextPush } from '../push.ts'
import type { Topic, TopicContext } from '../topic.ts'
import { markFields } from '../tradeTexts.ts'

/**
 * Topic `screener`: the tokens or pairs that a filter selects, first all rows, then changes once a
 * second.
 */
export const screenerTopic: Topic = {
  variants: [{ name: 'screener', params: screenerParams }],
  open: (context) => (market) => new ScreenerTopic(market, context),
}

/** JSON texts of rows by token or pair id, in the order of the filter. */
type Rows = ReadonlyMap<string, string>

/** Subscribers of one filter, which is evaluated once for all of them. */
class FilterChannel extends PushChannel {
  readonly filter: ScreenerFilter
  /** Rows of the filter as last pushed; null: nothing was pushed yet. */
  rows: Rows | null = null

  constructor(filter: string) {
    super()
    this.filter = screenerFilterOf(filter)
  }
}

class ScreenerTopic extends KeyedTopic<FilterChannel> {
  readonly #screener: ScreenerBoards
  readonly #scheduler: Scheduler
  readonly #logger: Logger
  #isEvaluating = false

  constructor(market: ChainMarket, { clock, screener, scheduler, logger }: TopicContext) {
    super(market, clock)
    this.#screener = screener
    this.#scheduler = scheduler
    this.#logger = logger
  }

  /**
   * Adds a subscriber and sends the rows that others of the same filter have. The first subscriber
   * gets rows with the next evaluation.
   */
  override join(target: ItemTarget, subscriber: Subscriber, fromSeq: number): void {
    super.join(target, subscriber, fromSeq)
    const key = this.keyOf(target)
    const rows = this.byKey.get(key)!.rows
    if (rows !== null) subscriber.send(this.#snapshot(key, rows))
  }

  /**
   * Evaluates all filters, unless the last evaluation is still running. Filters are then evaluated
   * less often than once a second.
   */
  tick(): void {
    if (this.#isEvaluating || this.byKey.size === 0) return
    this.#isEvaluating = true
    void this.#evaluateAll().finally(() => {
      this.#isEvaluating = false
    })
  }

  protected keyOf({ filter = '' }: ItemTarget): string {
    return filter
  }

  protected open(filter: string): FilterChannel {
    return new FilterChannel(filter)
  }

  async #evaluateAll(): Promise<void> {
    for (const [key, one] of [...this.byKey]) {
      // No request waits for a filter, so each filter queues behind all other long work.
      await this.#scheduler.nextSlot(this.#scheduler.newPosition())
      if (one.size === 0) continue
      try {
        await this.#evaluate(key, one)
      } catch (error) {
        this.#logger.warn({ msg: 'Failed to evaluate a filter', filter: key, err: error })
      }
    }
  }

  async #evaluate(key: string, one: FilterChannel): Promise<void> {
    const { clock, market } = this
    const scheduler = this.#scheduler
    const { chain } = market
    const { kind, screen, values } = one.filter
    const board = await this.#screener.board(chain, screen.subject, scheduler)
    const query = pageQueryOf(screen, values, [{ chain, board }], clock)
    const rows = await runInSlices(scheduler, [chain], async (pause): Promise<Rows | null> => {
      const page = await readScreenerPage(query, clock, pause)
      if (page === null) return null
      return new Map(
        page.rows.map(({ id }) => [
          `${screen.addressOf(chain, id)}-${market.name}`,
          screenerRowText(kind, { market, chain, board }, id),
        ]),
      )
    })
    if (one.size === 0 || market.chain !== chain) return
    const before = one.rows
    one.rows = rows
    const push = before === null ? this.#snapshot(key, rows) : this.#changes(key, before, rows)
    if (push !== null) one.send(push)
  }

  #snapshot(key: string, rows: Rows): Push {
    const order = [...rows.keys()]
    return this.#push(key, { entered: [...rows.values()], updated: [], left: [], order }, true)
  }

  /** Push of the rows that changed between two evaluations of a filter; null: no row changed. */
  #changes(key: string, before: Rows, rows: Rows): Push | null {
    const entered: string[] = []
    const updated: string[] = []
    for (const [id, text] of rows) {
      const was = before.get(id)
      if (was === undefined) entered.push(text)
      else if (was !== text) updated.push(text)
    }
    const left = [...before.keys()].filter((id) => !rows.has(id))
    const order = isSameOrder(before, rows) ? [] : [...rows.keys()]
    if (entered.length + updated.length + left.length + order.length === 0) return null
    return this.#push(key, { entered, updated, left, order }, false)
  }

  #push(key: string, lists: Readonly<Record<ListName, string[]>>, isSnapshot: boolean): Push {
    const { name } = this.market
    const result = screenerResultText({
      snapshot: markFields(isSnapshot ? 'snapshot' : '').snapshot,
      entered: `[${lists.entered.join()}]`,
      id: JSON.stringify(`${name}:${key}`),
      left: JSON.stringify(lists.left),
      of: this.byKey.get(key)!.filter.kind,
      order: JSON.stringify(lists.order),
      updated: `[${lists.updated.join()}]`,
    })
    const place = this.market.headPosition()
    return new TextPush({ result, place, sentMs: this.clock.nowMs(), conflateKey: null })
  }
}

type ListName = 'entered' | 'updated' | 'left' | 'order'

function isSameOrder(before: Rows, rows: Rows): boolean {
  if (before.size !== rows.size) return false
  const ids = rows.keys()
  for (const id of before.keys()) if (ids.next().value !== id) return false
  return true
}

type Place = { market: ChainMarket; chain: GatewayChain; board: ScreenerBoard }

/**
 * One row of a `screener` push as JSON, from values that the board read in the same scheduler slot.
 */
export function screenerRowText(kind: RowKind, place: Place, id: number): string {
  return kind === 'pairs' ? pairText(place, id) : tokenText(place, id)
}

function tokenText({ market, chain, board }: Place, tokenId: number): string {
  const { nameJson, symbolJson, addressJson, address } = market.facts.token(tokenId)
  const { mainPairId } = chain.reads.tokenWorth(tokenId)
  const pair = mainPairId === null ? null : market.facts.get(mainPairId)
  const value = (name: TokenMeasureName) => board.value(tokenId, tokenColumn(name))
  const score = value('risk_score')
  const isHoneypot = board.value(tokenId, tokenFilterColumns.isHoneypot) === 1
  return screenedRowText({
    amm: pair?.ammJson ?? '""',
    chain: JSON.stringify(market.name),
    created_at: numberOrNull(value('created_at')),
    fdv: decimalOrNull(value('fdv')),
    holders: numberOrNull(value('holders')),
    id: JSON.stringify(`${address}-${market.name}`),
    is_honeypot: Number.isNaN(score) ? 'null' : `${isHoneypot}`,
    market_cap: decimalOrNull(value('market_cap')),
    name: nameJson,
    pair: pair?.addressJson ?? '""',
    progress: decimalOrNull(value('progress')),
    quote_symbol: pair === null ? '""' : quoteOf(pair, tokenId).symbolJson,
    risk_score: numberOrNull(score),
    symbol: symbolJson,
    token: addressJson,
    ...sharedTexts(value),
  })
}

function pairText({ market, board }: Place, pairId: number): string {
  const pair = market.facts.get(pairId)
  const { ammJson, chainJson, idJson, addressJson, target } = pair
  const value = (name: PairMeasureName) => board.value(pairId, pairColumn(name))
  return screenedRowText({
    amm: ammJson,
    chain: chainJson,
    created_at: numberOrNull(value('created_at')),
    fdv: 'null',
    holders: 'null',
    is_honeypot: 'null',
    market_cap: 'null',
    progress: 'null',
    risk_score: 'null',
    id: idJson,
    name: target.nameJson,
    pair: addressJson,
    quote_symbol: quoteOf(pair, target.id).symbolJson,
    symbol: target.symbolJson,
    token: target.addressJson,
    ...sharedTexts(value),
  })
}

/** The token of a pair that is not the given token. */
function quoteOf({ token0, token1 }: PairFacts, tokenId: number): TokenFacts {
  return token0.id === tokenId ? token1 : token0
}

/** Screener fields that rows of tokens and of pairs share. */
function sharedTexts(value: (name: PairMeasureName) => number) {
  const decimal = (name: PairMeasureName) => decimalOrZero(value(name))
  const count = (name: PairMeasureName) => `${value(name)}`
  return {
    price: decimal('price'),
    liquidity: decimalOrNull(value('liquidity')),
    volume_5m: decimal('volume_5m'),
    change_5m: decimal('change_5m'),
    trades_5m: count('trades_5m'),
    volume_1h: decimal('volume_1h'),
    change_1h: decimal('change_1h'),
    trades_1h: count('trades_1h'),
    volume_4h: decimal('volume_4h'),
    change_4h: decimal('change_4h'),
    trades_4h: count('trades_4h'),
    volume_24h: decimal('volume_24h'),
    change_24h: decimal('change_24h'),
    trades_24h: count('trades_24h'),
    makers_24h: count('makers_24h'),
  }
}

function decimalOrNull(value: number): string {
  return Number.isNaN(value) ? 'null' : `"${decimalOrZero(value)}"`
}

function numberOrNull(value: number): string {
  return Number.isNaN(value) ? 'null' : `${value}`
}
