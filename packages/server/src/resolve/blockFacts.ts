import type { Logger } from '../lib/logger.ts'
import type { BlockRef } from '../model/block.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { LateFacts } from '../model/logEntry.ts'
import type { ResolvedBlock, TokenHistory } from '../model/resolvedBlock.ts'
import type { TokenRecord } from '../model/token.ts'
import { type ChainReader, parentOf, type ReadPoint } from './chainReader.ts'
import { type Budget, type Clock, createBudget } from './clock.ts'
import { Creations } from './questions/creations.ts'
import {
  FirstStates,
  type FirstStatesAnswer,
  type FirstStatesQuery,
} from './questions/firstStates.ts'
import { HistoryJobs } from './questions/historyJobs.ts'
import { describeToken, LateTokens } from './questions/lateTokens.ts'
import { nothingOpen, type OpenSubjects } from './questions/openSubjects.ts'
import type { BlockRecords } from './questions/questions.ts'
import { Shares } from './questions/shares.ts'
import { Totals } from './questions/totals.ts'
import { BoundedSet } from './records/boundedSet.ts'
import type { RecordCache } from './records/recordCache.ts'
import type { ResolverLimits } from './resolverLimits.ts'

export type BlockFactsOptions = {
  profile: ChainProfile
  reader: ChainReader
  tokens: RecordCache<TokenRecord>
  open?: Partial<OpenSubjects> | undefined
  limits: ResolverLimits
  clock: Clock
  logger: Logger
}

export type FactsQuery = FirstStatesQuery & {
  newTokens: readonly TokenRecord[]
  /** Addresses of tokens that a configured launch platform created in this block. */
  newborn: ReadonlySet<string>
  /** Tokens of the block's new trusted pairs, new tokens or not. */
  pricedTokens: readonly TokenRecord[]
  /**
   * Number of the oldest block that can still be reverted; undo data of older blocks is dropped.
   */
  heldFrom: number
}

type Facts = FirstStatesAnswer & Pick<ResolvedBlock, 'histories' | 'totals' | 'natives'>

export type FactStats = {
  /** Number of tokens whose metadata is unanswered. */
  lateTokenCount: number
  openHistoryCount: number
  failedHistoryCount: number
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
  readonly late: LateTokens
  readonly #options: BlockFactsOptions
  readonly #firstStates: FirstStates
  readonly #creations: Creations
  readonly #shares: Shares
  readonly #totals: Totals
  readonly #histories: HistoryJobs
  /** All question queues except transfer scans, which resume by themselves after a revert. */
  readonly #askers: readonly [LateTokens, Totals, FirstStates, Creations, Shares]
  /** Ids of tokens whose creation search was started in this run. */
  readonly #creationAsked: BoundedSet<number>
  /** Whether the block being resolved is live. */
  #isLive = false
  #resumed: { id: number; address: string }[]
  /** Until this time blocks do not wait longer than their budget for decimals. */
  #hastyUntilMs = Number.NEGATIVE_INFINITY

  constructor(options: BlockFactsOptions) {
    const { profile, reader, limits, clock, tokens, logger } = options
    this.#options = options
    const all = { ...nothingOpen, ...options.open }
    const ofContracts = (records: readonly TokenRecord[]) =>
      records.filter((token) => this.#isContract(token))
    const open = { ...all, uncreatedTokens: ofContracts(all.uncreatedTokens) }
    this.#resumed = ofContracts(all.incompleteTokens)
    this.#firstStates = new FirstStates({ reader, open, limits, logger })
    this.late = new LateTokens({
      tokens,
      read: (records, ref) => reader.readTokens(addressesOf(records), pointOf(ref), this.#isLive),
      onAnswer: (token) => this.#totals.add(token),
      logger,
    })
    // An earlier run may have ended while it was catching up, when supplies are not read.
    const unsupplied = reader.hasNoHistory ? this.#resumed : []
    this.#totals = new Totals({ reader, open: unsupplied, limits, logger })
    const zeroAddress = profile.burnAddresses[0]!
    this.#histories = new HistoryJobs({ reader, clock, limits, zeroAddress, logger })
    this.#creations = new Creations({
      reader,
      limits,
      clock,
      logger,
      open,
      isReading: (tokenId) => this.#histories.isOpen(tokenId),
    })
    this.#shares = new Shares({ reader, limits, logger, open: open.unsharedPairs })
    this.#creationAsked = new BoundedSet(limits.tokensMax)
    this.#askers = [this.late, this.#totals, this.#firstStates, this.#creations, this.#shares]
  }

  /**
   * Never throws. Unanswered data is missing from the result, and is requested again or delivered
   * later.
   */
  async read(asked: FactsQuery): Promise<Facts> {
    const { limits, clock } = this.#options
    const newTokens = asked.newTokens.filter((token) => this.#isContract(token))
    const query = { ...asked, newTokens }
    const { ref, isLive, events } = query
    this.#isLive = isLive
    this.#forgetBelow(query.heldFrom)
    const budget = createBudget(isLive ? limits.budgetMs : null, clock)
    const ready = this.#histories.ready(ref)
    for (const token of newTokens)
      this.#histories.start(token, ref, query.newborn.has(token.address))
    for (const token of [...this.#resumed, ...this.#histories.dueAgain()])
      this.#histories.start(token, ref, false)
    this.#resumed = []
    const [natives, states, totalsBefore, wantedTotals, newTotals] = await Promise.all([
      isLive ? this.#readNatives(query, budget) : new Map<string, bigint>(),
      this.#firstStates.read(query, budget),
      this.#totals.readAt(ready, parentOf(ref), budget),
      this.#totals.read(ref, isLive, budget),
      this.#describe(query, budget),
      budget.take(this.#histories.wait(ref)),
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

  revert(ref: BlockRef, made: BlockRecords): void {
    const madeIds = new Set(made.tokens.map(({ id }) => id))
    // Tokens whose scan the reverted block completed are scanned again with the next block.
    this.#resumed.push(
      ...this.#histories.revert(ref.number),
      ...(made.answered?.incompleteTokens ?? []),
    )
    this.#resumed = this.#resumed.filter(({ id }) => !madeIds.has(id))
    for (const id of madeIds) this.#creationAsked.delete(id)
    for (const asker of this.#askers) asker.revert(ref, made)
  }

  /** Returns facts that arrived since the last call, for blocks that were resolved without them. */
  drainLate(): LateFacts[] {
    return [...this.late.drain(), ...this.#creations.drain(), ...this.#shares.drain()]
  }

  stats(): FactStats {
    return {
      lateTokenCount: this.late.questions.waitingCount,
      openHistoryCount: this.#histories.openCount,
      failedHistoryCount: this.#histories.failedCount,
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
    for (const { questions } of this.#askers) questions.forgetBelow(heldFrom)
    this.#histories.forgetBelow(heldFrom)
  }

  /**
   * Starts creation searches for new pairs and priced tokens. The creation time of a token launched
   * in this block is already known.
   */
  #lookForCreations({ newPairs, pricedTokens, newborn }: FactsQuery): void {
    for (const pair of newPairs) this.#creations.addPair(pair)
    for (const token of pricedTokens) {
      if (this.#creationAsked.has(token.id)) continue
      this.#creationAsked.add(token.id)
      if (!this.#isContract(token) || newborn.has(token.address)) continue
      this.#creations.addToken(token, this.#histories.firstBlockOf(token.id))
    }
  }

  /** Reads symbols, names, decimals and total supplies of the block's new tokens. */
  async #describe(query: FactsQuery, budget: Budget): Promise<ReadonlyMap<number, bigint>> {
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
      tokens.replace(describeToken(token, answer))
      if (answer.totalSupply !== null) totals.set(token.id, answer.totalSupply)
      // The prefetched answer may date from before the block was live, without a supply.
      else if (reader.hasNoHistory) this.#totals.add(token)
    }
    return totals
  }

  /** Waits for token metadata, longer than the budget if the block prices one of the tokens. */
  async #takeTokens<answer>(
    asked: Promise<answer>,
    { isLive, newTokens, pricedTokens }: FactsQuery,
    budget: Budget,
  ): Promise<answer | undefined> {
    const { limits, clock } = this.#options
    const isPriced = newTokens.some((token) => pricedTokens.includes(token))
    if (!isLive || !isPriced || clock.nowMs() < this.#hastyUntilMs) return budget.take(asked)
    const waitMs = limits.budgetMs * decimalsBudgets
    const answer = await createBudget(waitMs, clock).take(asked)
    if (answer === undefined) this.#hastyUntilMs = clock.nowMs() + waitMs * vainPauses
    return answer
  }

  async #readNatives({ events, ref }: FactsQuery, budget: Budget): Promise<Map<string, bigint>> {
    const wallets = new Set<string>()
    for (const event of events) {
      const isKnown = event.type !== 'swap' || (event.traderAfter?.native ?? null) !== null
      if (!isKnown) wallets.add(event.wallet)
    }
    const natives = new Map<string, bigint>()
    if (wallets.size === 0) return natives
    const asked = this.#options.reader.readNatives([...wallets], pointOf(ref))
    const balances = await budget.take(asked).catch(() => undefined)
    for (const [i, wallet] of [...wallets].entries()) {
      const balance = balances?.[i]
      if (balance !== undefined && balance !== null) natives.set(wallet, balance)
    }
    return natives
  }

  #takeHistories(
    { ref, newTokens }: FactsQuery,
    ready: readonly { id: number }[],
    totalsBefore: ReadonlyMap<number, bigint>,
  ): TokenHistory[] {
    const tokenIds = new Set([...ready, ...newTokens].map(({ id }) => id))
    const histories = this.#histories.take(ref, tokenIds)
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
