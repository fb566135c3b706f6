import { BoundedSet } from '../lib/boundedSet.ts'
import type { Logger } from '../lib/logger.ts'
import type { BlockRef } from '../model/block.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { LateFacts } from '../model/logEntry.ts'
import type { ResolvedBlock, ScannedHolders } from '../model/resolvedBlock.ts'
import type { TokenRecord } from '../model/token.ts'
import { type ChainReader, parentPointOf, type ReadPoint } from './chainReader.ts'
import { type Clock, createTimeBudget, type TimeBudget } from './clock.ts'
import { CreationSearches } from './questions/creationSearches.ts'
import {
  FirstStates,
  type FirstStatesAnswer,
  type FirstStatesQuery,
} from './questions/firstStates.ts'
import { LateTokenMetadata, withTokenAnswer } from './questions/lateTokenMetadata.ts'
import { PoolShares } from './questions/poolShares.ts'
import { noOpenQuestions, type OpenQuestions, type RecordsToRevert } from './questions/questions.ts'
import { TotalSupplies } from './questions/totalSupplies.ts'
import { TransferScans } from './questions/transferScans.ts'
import type { RecordCache } from './records/recordCache.ts'
import type { ResolverLimits } from './resolverOptions.ts'

type BlockFactsOptions = {
  profile: ChainProfile
  reader: ChainReader
  tokens: RecordCache<TokenRecord>
  openQuestions?: Partial<OpenQuestions> | undefined
  limits: ResolverLimits
  clock: Clock
  logger: Logger
}

type BlockFactsQuery = FirstStatesQuery & {
  newTokens: readonly TokenRecord[]
  /** Addresses of tokens that a configured launch platform created in this block. */
  launchedTokens: ReadonlySet<string>
  /** Tokens of the block's new trusted pairs, new tokens or not. */
  pricedTokens: readonly TokenRecord[]
  /**
   * Number of the oldest block that can still be reverted; undo data of older blocks is dropped.
   */
  revertibleFrom: number
}

type Facts = FirstStatesAnswer & Pick<ResolvedBlock, 'histories' | 'totals' | 'natives'>

export type BlockFactsStats = {
  /** Number of tokens whose metadata is unanswered. */
  lateTokenCount: number
  openScanCount: number
  failedScanCount: number
  /** Number of concentrated pools whose balances are unknown. */
  unknownPoolCount: number
  /** Number of pool state requests that failed or timed out. */
  failedStateCount: number
}

// A trade of a token whose decimals arrive late is missing from klines for good, so a block that
// prices new tokens waits this many budgets.
const decimalsBudgets = 10
// After a block waited for decimals without success, no block waits again for this multiple of the
// time lost: one token that never answers must not slow a chain down.
const vainPauses = 20

/** Reads a block's optional data from nodes, within the block's time budget. */
export class BlockFacts {
  readonly late: LateTokenMetadata
  readonly #options: BlockFactsOptions
  readonly #firstStates: FirstStates
  readonly #creations: CreationSearches
  readonly #shares: PoolShares
  readonly #totals: TotalSupplies
  readonly #histories: TransferScans
  /** All question queues except transfer scans, which resume by themselves after a revert. */
  readonly #questionQueues: readonly [
    LateTokenMetadata,
    TotalSupplies,
    FirstStates,
    CreationSearches,
    PoolShares,
  ]
  /** Ids of tokens whose creation search was started in this run. */
  readonly #creationAsked: BoundedSet<number>
  /** Whether the block being resolved is live. */
  #isLive = false
  #resumed: { id: number; address: string }[]
  /** Until this time blocks do not wait longer than their budget for decimals. */
  #noWaitUntilMs = Number.NEGATIVE_INFINITY

  constructor(options: BlockFactsOptions) {
    const { profile, reader, limits, clock, tokens, logger } = options
    this.#options = options
    const all = { ...noOpenQuestions, ...options.openQuestions }
    const ofContracts = (records: readonly TokenRecord[]) =>
      records.filter((token) => this.#isContract(token))
    const open = { ...all, uncreatedTokens: ofContracts(all.uncreatedTokens) }
    this.#resumed = ofContracts(all.incompleteTokens)
    this.#firstStates = new FirstStates({ reader, open, limits, logger })
    this.late = new LateTokenMetadata({
      tokens,
      read: (records, ref) => reader.readTokens(addressesOf(records), pointOf(ref), this.#isLive),
      onAnswer: (token) => this.#totals.add(token),
      logger,
    })
    // An earlier run may have ended while it was catching up, when supplies are not read.
    const unsupplied = reader.hasNoHistory ? this.#resumed : []
    this.#totals = new TotalSupplies({ reader, open: unsupplied, limits, logger })
    const zeroAddress = profile.burnAddresses[0]!
    this.#histories = new TransferScans({ reader, clock, limits, zeroAddress, logger })
    this.#creations = new CreationSearches({
      reader,
      limits,
      clock,
      logger,
      open,
      isReading: (tokenId) => this.#histories.isOpen(tokenId),
    })
    this.#shares = new PoolShares({ reader, limits, logger, open: open.unsharedPairs })
    this.#creationAsked = new BoundedSet(limits.tokensMax)
    this.#questionQueues = [
      this.late,
      this.#totals,
      this.#firstStates,
      this.#creations,
      this.#shares,
    ]
  }

  /**
   * Never throws. Unanswered data is missing from the result, and is requested again or delivered
   * later.
   */
  async read(asked: BlockFactsQuery): Promise<Facts> {
    const { limits, clock } = this.#options
    const newTokens = asked.newTokens.filter((token) => this.#isContract(token))
    const query = { ...asked, newTokens }
    const { ref, isLive, events } = query
    this.#isLive = isLive
    this.#forgetBelow(query.revertibleFrom)
    const budget = createTimeBudget(isLive ? limits.budgetMs : null, clock)
    const ready = this.#histories.finishedTokens(ref)
    for (const token of newTokens)
      this.#histories.start(token, ref, query.launchedTokens.has(token.address))
    for (const token of [...this.#resumed, ...this.#histories.tokensToRetry()])
      this.#histories.start(token, ref, false)
    this.#resumed = []
    const [natives, states, totalsBefore, wantedTotals, newTotals] = await Promise.all([
      isLive ? this.#readNatives(query, budget) : new Map<string, bigint>(),
      this.#firstStates.read(query, budget),
      this.#totals.readAt(ready, parentPointOf(ref), budget),
      this.#totals.read(ref, isLive, budget),
      this.#describe(query, budget),
      budget.waitFor(this.#histories.waitBriefly(ref)),
    ])
    const histories = this.#takeHistories(query, ready, totalsBefore)
    this.#lookForCreations(query)
    this.#histories.follow(ref, events)
    for (const { tokenId } of histories)
      this.#creations.setFirstTransfer(tokenId, this.#histories.firstBlockOf(tokenId))
    this.#creations.follow(ref, isLive)
    this.#shares.follow(query)
    const totals = new Map([...wantedTotals, ...newTotals])
    return { natives, ...states, histories, totals }
  }

  revert(ref: BlockRef, made: RecordsToRevert): void {
    const madeIds = new Set(made.tokens.map(({ id }) => id))
    // Tokens whose scan the reverted block completed are scanned again with the next block.
    this.#resumed.push(
      ...this.#histories.revert(ref.number),
      ...(made.answeredQuestions?.incompleteTokens ?? []),
    )
    this.#resumed = this.#resumed.filter(({ id }) => !madeIds.has(id))
    for (const id of madeIds) this.#creationAsked.delete(id)
    for (const asker of this.#questionQueues) asker.revert(ref, made)
  }

  /** Returns facts that arrived since the last call, for blocks that were resolved without them. */
  takeLateFacts(): LateFacts[] {
    return [...this.late.drain(), ...this.#creations.drain(), ...this.#shares.drain()]
  }

  stats(): BlockFactsStats {
    return {
      lateTokenCount: this.late.questions.queuedCount,
      openScanCount: this.#histories.openCount,
      failedScanCount: this.#histories.failedCount,
      unknownPoolCount: this.#firstStates.unknownCount,
      failedStateCount: this.#firstStates.failedCount,
    }
  }

  close(): void {
    this.#histories.close()
    this.#creations.close()
  }

  /** False for the native coin: it has no contract to ask, and moves without transfers. */
  #isContract({ address }: { address: string }): boolean {
    return address !== this.#options.profile.native.coin
  }

  #forgetBelow(heldFrom: number): void {
    for (const { questions } of this.#questionQueues) questions.dropUndoBelow(heldFrom)
    this.#histories.forgetBelow(heldFrom)
  }

  /**
   * Starts creation searches for new pairs and priced tokens. The creation time of a token launched
   * in this block is already known.
   */
  #lookForCreations({ newPairs, pricedTokens, launchedTokens }: BlockFactsQuery): void {
    for (const pair of newPairs) this.#creations.addPair(pair)
    for (const token of pricedTokens) {
      if (this.#creationAsked.has(token.id)) continue
      this.#creationAsked.add(token.id)
      if (!this.#isContract(token) || launchedTokens.has(token.address)) continue
      this.#creations.addToken(token, this.#histories.firstBlockOf(token.id))
    }
  }

  /** Reads symbols, names, decimals and total supplies of the block's new tokens. */
  async #describe(
    query: BlockFactsQuery,
    budget: TimeBudget,
  ): Promise<ReadonlyMap<number, bigint>> {
    const { ref, isLive, newTokens } = query
    const { reader, limits, tokens } = this.#options
    this.late.follow(ref, limits.lateTokensMax)
    const totals = new Map<number, bigint>()
    if (newTokens.length === 0) return totals
    const asked = reader.readTokens(addressesOf(newTokens), pointOf(ref), isLive)
    const answers = await this.#takeTokens(asked, query, budget).catch(() => undefined)
    if (!answers) {
      this.late.ask(newTokens, ref, asked)
      return totals
    }
    for (const [i, token] of newTokens.entries()) {
      const answer = answers[i]!
      tokens.replace(withTokenAnswer(token, answer))
      if (answer.totalSupply !== null) totals.set(token.id, answer.totalSupply)
      // The prefetched answer may date from before the block was live, without a supply.
      else if (reader.hasNoHistory) this.#totals.add(token)
    }
    return totals
  }

  /** Waits for token metadata, longer than the budget if the block prices one of the tokens. */
  async #takeTokens<answer>(
    asked: Promise<answer>,
    { isLive, newTokens, pricedTokens }: BlockFactsQuery,
    budget: TimeBudget,
  ): Promise<answer | undefined> {
    const { limits, clock } = this.#options
    const isPriced = newTokens.some((token) => pricedTokens.includes(token))
    if (!isLive || !isPriced || clock.nowMs() < this.#noWaitUntilMs) return budget.waitFor(asked)
    const waitMs = limits.budgetMs * decimalsBudgets
    const answer = await createTimeBudget(waitMs, clock).waitFor(asked)
    if (answer === undefined) this.#noWaitUntilMs = clock.nowMs() + waitMs * vainPauses
    return answer
  }

  async #readNatives(
    { events, ref }: BlockFactsQuery,
    budget: TimeBudget,
  ): Promise<Map<string, bigint>> {
    const wallets = new Set<string>()
    for (const event of events) {
      const isKnown = event.type !== 'swap' || (event.traderAfter?.native ?? null) !== null
      if (!isKnown) wallets.add(event.wallet)
    }
    const natives = new Map<string, bigint>()
    if (wallets.size === 0) return natives
    const asked = this.#options.reader.readNatives([...wallets], pointOf(ref))
    const balances = await budget.waitFor(asked).catch(() => undefined)
    for (const [i, wallet] of [...wallets].entries()) {
      const balance = balances?.[i]
      if (balance !== undefined && balance !== null) natives.set(wallet, balance)
    }
    return natives
  }

  #takeHistories(
    { ref, newTokens }: BlockFactsQuery,
    ready: readonly { id: number }[],
    totalsBefore: ReadonlyMap<number, bigint>,
  ): ScannedHolders[] {
    const tokenIds = new Set([...ready, ...newTokens].map(({ id }) => id))
    const histories = this.#histories.deliver(ref, tokenIds)
    return histories.map((history) => {
      return { ...history, totalSupply: totalsBefore.get(history.tokenId) ?? null }
    })
  }
}

function addressesOf(records: readonly { address: string }[]): string[] {
  return records.map(({ address }) => address)
}

function pointOf({ number, hash }: BlockRef): ReadPoint {
  return { number, hash }
}
