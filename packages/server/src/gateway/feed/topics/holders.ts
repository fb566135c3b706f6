import { decimalOfRaw } from '../../../lib/decimal.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { TokenSupply } from '../../../model/token.ts'
import type { Clock } from '../../gatewayChain.ts'
import { decimalOrZero, ratioOf } from '../../rows/wireNumber.ts'
import { holdersResultText, holdersText, topHolderText } from '../../rowTexts.ts'
import { type AddressEntry, AddressIndex } from '../addressIndex.ts'
import type { ChainMarket } from '../chainMarket.ts'
import { Channel } from '../channel.ts'
import type { Subscriber } from '../feed.ts'
import type { FeedLimits } from '../feedLimits.ts'
import type { ItemTarget } from '../params/itemKey.ts'
import { tokenParams } from '../params/topicParams.ts'
import { type Push, TextPush } from '../push.ts'
import type { FeedHistory } from '../replay/feedHistory.ts'
import type { ChainTopic, Topic, TopicContext } from '../topic.ts'
import { jsonWord } from '../tradeTexts.ts'

/** How many hold a token, and what changes among the largest: all at once, and then the changes. */
export const holders: Topic = {
  words: [{ name: 'holders', params: tokenParams }],
  open: (context) => (market) => new HoldersTopic(market, context),
}

type Followed = {
  channel: Channel
  /** As they were told last; null: nothing was. */
  count: number | null
  /** Balances of the largest holders as they were read last, largest first; null: they were not. */
  top: ReadonlyMap<string, bigint> | null
  /** Block as of which that was. */
  readNumber: number
  isReading: boolean
}

type FollowedEntry = AddressEntry<Followed>

/** A holder whose balance is another; null: it was not among the largest, or is not any more. */
type HolderChange = {
  wallet: string
  before: bigint | null
  after: bigint | null
  rank: number | null
}

const noChanges: readonly HolderChange[] = []

class HoldersTopic implements ChainTopic {
  readonly publish = {
    supply: (_: unknown, { supply }: { supply: TokenSupply }) => this.tellCount(supply.tokenId),
  }
  readonly indexes: readonly AddressIndex<Followed>[]
  private readonly index: AddressIndex<Followed>
  private readonly market: ChainMarket
  private readonly clock: Clock
  private readonly history: FeedHistory | null
  private readonly limits: FeedLimits
  private readonly logger: Logger
  /** Where the round of reading the largest holders is. */
  private round: Iterator<FollowedEntry, undefined> = [][Symbol.iterator]()

  constructor(market: ChainMarket, { clock, history, limits, logger }: TopicContext) {
    this.index = new AddressIndex(market, () => ({
      channel: new Channel(),
      count: null,
      top: null,
      readNumber: -1,
      isReading: false,
    }))
    this.indexes = [this.index]
    this.market = market
    this.clock = clock
    this.history = history
    this.limits = limits
    this.logger = logger
  }

  isEmpty(): boolean {
    return this.index.size === 0
  }

  /** What is known, to one who joins. The largest follow when they are read, where nobody had asked before. */
  join({ address }: ItemTarget, subscriber: Subscriber, fromSeq: number): void {
    const entry = this.index.open(address)
    entry.value.channel.add(subscriber, fromSeq, this.market.recent.seq)
    if (entry.tokenId < 0) return
    const all = changesOf(null, entry.value.top ?? new Map())
    const push = this.push(entry, null, all)
    if (push !== null) subscriber.send(push)
    entry.value.count ??= this.countOf(entry)
  }

  leave({ address }: ItemTarget, subscriber: Subscriber): void {
    const entry = this.index.find(address)
    if (entry === undefined) return
    entry.value.channel.delete(subscriber)
    if (entry.value.channel.size === 0) this.index.delete(entry)
  }

  channels(): Channel[] {
    return Array.from(this.index.entries(), ({ value }) => value.channel)
  }

  /** A revert has no event of its own for supplies. */
  end({ isRevert }: { isRevert: boolean }): void {
    if (!isRevert) return
    for (const entry of this.index.entries()) this.tellCountOf(entry)
  }

  rewound(): void {
    for (const entry of this.index.entries()) this.tellCountOf(entry)
  }

  /** Reads the largest holders of some tokens: of those that were not read since the newest stored block. */
  tick(): void {
    const { history } = this
    if (history === null || this.index.size === 0) return
    const storedNumber = this.market.chain.status().persistedNumber ?? -1
    let left = this.limits.topHoldersReadsMax
    for (let looks = this.index.size; left > 0 && looks > 0; looks -= 1) {
      const entry = this.nextEntry()
      const { isReading, readNumber } = entry.value
      if (entry.tokenId < 0 || isReading || readNumber === storedNumber) continue
      left -= 1
      void this.readTop(entry, history, storedNumber)
    }
  }

  /** One after another, and then the first again. */
  private nextEntry(): FollowedEntry {
    const next = this.round.next()
    if (next.done !== true) return next.value
    this.round = this.index.entries()[Symbol.iterator]()
    return this.round.next().value!
  }

  private async readTop(
    entry: FollowedEntry,
    history: FeedHistory,
    storedNumber: number,
  ): Promise<void> {
    const { value, tokenId } = entry
    const { chain } = this.market
    const reverts = chain.reads.revertCount()
    value.isReading = true
    try {
      const found = await history.loadTopHolders(chain, tokenId, this.limits.topHoldersMax)
      // Ids may mean others since; the next round reads again.
      if (this.market.chain !== chain || chain.reads.revertCount() !== reverts) return
      const top = new Map(found.map(({ wallet, balance }) => [wallet, balance]))
      const changes = changesOf(value.top, top)
      value.top = top
      value.readNumber = storedNumber
      if (changes.length > 0) this.tell(entry, changes)
    } catch (error) {
      this.logger.warn({ msg: 'Failed to read the largest holders', err: error })
    } finally {
      value.isReading = false
    }
  }

  private tellCount(tokenId: number): void {
    const entry = this.index.token(tokenId)
    if (entry !== undefined) this.tellCountOf(entry)
  }

  private tellCountOf(entry: FollowedEntry): void {
    if (entry.tokenId >= 0 && this.countOf(entry) !== entry.value.count) this.tell(entry, noChanges)
  }

  private tell(entry: FollowedEntry, changes: readonly HolderChange[]): void {
    const push = this.push(entry, entry.value.count, changes)
    entry.value.count = this.countOf(entry)
    if (push !== null) entry.value.channel.send(push)
  }

  private countOf({ tokenId }: FollowedEntry): number | null {
    return this.market.chain.reads.tokenSupply(tokenId)?.holders ?? null
  }

  /** Null: nothing is known yet. */
  private push(
    { tokenId }: FollowedEntry,
    before: number | null,
    changes: readonly HolderChange[],
  ): Push | null {
    const { chain, facts, name } = this.market
    const supply = chain.reads.tokenSupply(tokenId)
    if (supply === null) return null
    const { addressJson, address, decimals } = facts.token(tokenId)
    const { total } = supply
    const top = changes.map((change) => changeText(change, total, decimals))
    const of = holdersText({
      chain: JSON.stringify(name),
      holders: `${supply.holders}`,
      holders_before: `${before}`,
      holders_complete: `${supply.isComplete}`,
      token: addressJson,
      top: `[${top.join()}]`,
      total: decimalOfRaw(total, decimals),
    })
    const result = holdersResultText({ id: JSON.stringify(`${address}-${name}`), holders: of })
    const place = this.market.headPlace()
    return new TextPush({ result, place, sentMs: this.clock.nowMs(), conflateKey: null })
  }
}

/** What is another among the largest; null `before`: nothing was known, and all are. */
function changesOf(
  before: ReadonlyMap<string, bigint> | null,
  now: ReadonlyMap<string, bigint>,
): HolderChange[] {
  const changes: HolderChange[] = []
  let rank = 0
  for (const [wallet, after] of now) {
    rank += 1
    const was = before?.get(wallet) ?? null
    if (was !== after) changes.push({ wallet, before: was, after, rank })
  }
  for (const [wallet, was] of before ?? [])
    if (!now.has(wallet)) changes.push({ wallet, before: was, after: null, rank: null })
  return changes
}

function changeText(
  { wallet, before, after, rank }: HolderChange,
  total: bigint,
  decimals: number,
): string {
  // The supply may be of a newer block than the balances: no share is over the whole.
  const ratio = after === null ? null : Math.min(1, ratioOf(after, total))
  return topHolderText({
    address: jsonWord(wallet),
    amount: quotedOrNull(after, decimals),
    amount_before: quotedOrNull(before, decimals),
    balance_ratio: ratio === null ? 'null' : `"${decimalOrZero(ratio)}"`,
    rank: `${rank}`,
  })
}

function quotedOrNull(raw: bigint | null, decimals: number): string {
  return raw === null ? 'null' : `"${decimalOfRaw(raw, decimals)}"`
}
