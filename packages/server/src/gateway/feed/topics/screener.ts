import type { Logger } from '../../../lib/logger.ts'
import { screenerResultText } from '../../ground/rowTexts.ts'
import { runInSlices } from '../../ground/runInSlices.ts'
import type { Scheduler } from '../../ground/scheduler.ts'
import type { ScreenerBoards } from '../../lists/screenerBoards.ts'
import { pageQueryOf } from '../../lists/screenerKind.ts'
import { readScreenerPage } from '../../lists/screenerPage.ts'
import type { ChainMarket } from '../chainMarket.ts'
import { PushChannel } from '../channel.ts'
import type { Subscriber } from '../feed.ts'
import { KeyedTopic } from '../keyedTopic.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { type ScreenerFilter, screenerFilterOf, screenerParams } from '../params/screenerParams.ts'
import { type Push, TextPush } from '../push.ts'
import type { Topic, TopicContext } from '../topic.ts'
import { markFields } from '../tradeTexts.ts'
import { screenerRowText } from './screenerRowText.ts'

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
  private readonly screener: ScreenerBoards
  private readonly scheduler: Scheduler
  private readonly logger: Logger
  private isEvaluating = false

  constructor(market: ChainMarket, { clock, screener, scheduler, logger }: TopicContext) {
    super(market, clock)
    this.screener = screener
    this.scheduler = scheduler
    this.logger = logger
  }

  /**
   * Adds a subscriber and sends the rows that others of the same filter have. The first subscriber
   * gets rows with the next evaluation.
   */
  override join(target: ItemTarget, subscriber: Subscriber, fromSeq: number): void {
    super.join(target, subscriber, fromSeq)
    const key = this.keyOf(target)
    const rows = this.byKey.get(key)!.rows
    if (rows !== null) subscriber.send(this.snapshot(key, rows))
  }

  /**
   * Evaluates all filters, unless the last evaluation is still running. Filters are then evaluated
   * less often than once a second.
   */
  tick(): void {
    if (this.isEvaluating || this.byKey.size === 0) return
    this.isEvaluating = true
    void this.evaluateAll().finally(() => {
      this.isEvaluating = false
    })
  }

  protected keyOf({ filter = '' }: ItemTarget): string {
    return filter
  }

  protected open(filter: string): FilterChannel {
    return new FilterChannel(filter)
  }

  private async evaluateAll(): Promise<void> {
    for (const [key, one] of [...this.byKey]) {
      // No request waits for a filter, so each filter queues behind all other long work.
      await this.scheduler.nextSlot(this.scheduler.newPosition())
      if (one.size === 0) continue
      try {
        await this.evaluate(key, one)
      } catch (error) {
        this.logger.warn({ msg: 'Failed to evaluate a filter', filter: key, err: error })
      }
    }
  }

  private async evaluate(key: string, one: FilterChannel): Promise<void> {
    const { scheduler, clock, market } = this
    const { chain } = market
    const { kind, screen, values } = one.filter
    const board = await this.screener.board(chain, screen.subject, scheduler)
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
    const push = before === null ? this.snapshot(key, rows) : this.changes(key, before, rows)
    if (push !== null) one.send(push)
  }

  private snapshot(key: string, rows: Rows): Push {
    const order = [...rows.keys()]
    return this.push(key, { entered: [...rows.values()], updated: [], left: [], order }, true)
  }

  /** Push of the rows that changed between two evaluations of a filter; null: no row changed. */
  private changes(key: string, before: Rows, rows: Rows): Push | null {
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
    return this.push(key, { entered, updated, left, order }, false)
  }

  private push(
    key: string,
    lists: Readonly<Record<ListName, string[]>>,
    isSnapshot: boolean,
  ): Push {
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
