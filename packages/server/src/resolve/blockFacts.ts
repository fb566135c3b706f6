import type { Logger } from '../lib/logger.ts'
import type { BlockRef } from '../model/block.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { LateFacts } from '../model/logEntry.ts'
import type { PairRecord } from '../model/pair.ts'
import type { ResolvedBlock, TokenHistory } from '../model/resolvedBlock.ts'
import type { TokenRecord } from '../model/token.ts'
import { type ChainReader, parentOf, type ReadPoint, type TokenAnswer } from './chainReader.ts'
import { type Budget, type Clock, createBudget } from './clock.ts'
import { Creations } from './pools/creations.ts'
import { FirstStates, type FirstStatesAnswer, type FirstStatesQuery } from './pools/firstStates.ts'
import { Shares } from './pools/shares.ts'
import { BoundedSet } from './records/boundedSet.ts'
import type { RecordCache } from './records/recordCache.ts'
import type { ResolverLimits } from './resolverLimits.ts'
import { HistoryJobs } from './tokens/historyJobs.ts'
import { describeToken, LateTokens } from './tokens/lateTokens.ts'

export type BlockFactsOptions = {
  profile: ChainProfile
  reader: ChainReader
  tokens: RecordCache<TokenRecord>
  incompleteTokens?: readonly TokenRecord[] | undefined
  unknownPoolIds?: Iterable<number> | undefined
  unknownPools?: readonly PairRecord[] | undefined
  uncreatedPairs?: readonly PairRecord[] | undefined
  uncreatedTokens?: readonly TokenRecord[] | undefined
  unsharedPairs?: readonly PairRecord[] | undefined
  limits: ResolverLimits
  clock: Clock
  logger: Logger
}

export type FactsQuery = FirstStatesQuery & {
  newTokens: readonly TokenRecord[]
  /** Addresses of tokens that a configured launch platform made in this very block. */
  newborn: ReadonlySet<string>
  /** Tokens of its new pairs that count, whether or not they are new. */
  pricedTokens: readonly TokenRecord[]
  /** The oldest block that may still be reverted: what concerns older ones alone is forgotten. */
  heldFrom: number
}

type Facts = FirstStatesAnswer & Pick<ResolvedBlock, 'histories' | 'totals' | 'natives'>

export type FactStats = {
  /** Tokens that have not answered yet. */
  lateTokenCount: number
  openHistoryCount: number
  failedHistoryCount: number
  /** Concentrated pools whose balances nobody has reported yet. */
  unknownPoolCount: number
  /** Questions after pools that no node answered, or too late. */
  failedStateCount: number
}

// A trade of a token whose decimals come late is in no kline for ever, so a block that prices new tokens waits for so many budgets.
const decimalsBudgets = 10
// For so many times as long as a block has waited in vain none does again: a token that answers nobody must not slow a chain down.
const vainPauses = 20

/** Reads what a block can do without, within its budget. */
export class BlockFacts {
  readonly late: LateTokens
  readonly #options: BlockFactsOptions
  readonly #firstStates: FirstStates
  readonly #creations: Creations
  readonly #shares: Shares
  readonly #histories: HistoryJobs
  /** Ids of tokens whose creation this run has begun to look for. */
  readonly #creationAsked: BoundedSet<number>
  /** Tokens whose total supply is still to be read, by id. */
  readonly #totalsWanted = new Map<number, string>()
  /** Total supplies that were read with blocks that may be reverted. */
  #totalsRead: { number: number; tokenId: number; token: string }[] = []
  #resumed: { id: number; address: string }[]
  /** Until then no block waits longer than its budget for decimals. */
  #hastyUntilMs = Number.NEGATIVE_INFINITY

  constructor(options: BlockFactsOptions) {
    const { profile, reader, limits, clock, tokens, logger } = options
    this.#options = options
    const { incompleteTokens = [] } = options
    this.#resumed = incompleteTokens.filter((token) => this.#isContract(token))
    // An earlier run may have ended before it was live.
    if (reader.hasNoHistory)
      for (const { id, address } of this.#resumed) this.#totalsWanted.set(id, address)
    const { unknownPoolIds = [], unknownPools = [] } = options
    this.#firstStates = new FirstStates({ reader, unknownPoolIds, unknownPools, limits, logger })
    this.late = new LateTokens(tokens, logger)
    const zeroAddress = profile.burnAddresses[0]!
    this.#histories = new HistoryJobs({ reader, clock, limits, zeroAddress, logger })
    this.#creations = new Creations({
      reader,
      limits,
      clock,
      logger,
      wantedPairs: options.uncreatedPairs,
      wantedTokens: options.uncreatedTokens?.filter((token) => this.#isContract(token)),
      isReading: (tokenId) => this.#histories.isOpen(tokenId),
    })
    this.#shares = new Shares({ reader, limits, logger, wanted: options.unsharedPairs })
    this.#creationAsked = new BoundedSet(limits.tokensMax)
  }

  /** Never throws: what is not answered in time is left out, and asked again or given later. */
  async read(asked: FactsQuery): Promise<Facts> {
    const { limits, clock } = this.#options
    const newTokens = asked.newTokens.filter((token) => this.#isContract(token))
    const query = { ...asked, newTokens }
    const { ref, isLive, events } = query
    this.#forgetBelow(query.heldFrom)
    const budget = createBudget(isLive ? limits.budgetMs : null, clock)
    const ready = this.#histories.ready(ref)
    for (const token of newTokens)
      this.#histories.start(token, ref, query.newborn.has(token.address))
    for (const token of [...this.#resumed, ...this.#histories.dueAgain()])
      this.#histories.start(token, ref, false)
    this.#resumed = []
    const totals = new Map<number, bigint>()
    const [natives, states, totalsBefore] = await Promise.all([
      isLive ? this.#readNatives(query, budget) : new Map<string, bigint>(),
      this.#firstStates.read(query, budget),
      this.#readTotals(ready, parentOf(ref), budget),
      this.#readTotalsWanted(totals, query, budget),
      this.#describe(query, totals, budget),
      budget.take(this.#histories.wait(ref)),
    ])
    const histories = this.#takeHistories(query, ready, totalsBefore)
    this.#lookForCreations(query)
    this.#histories.follow(ref, events)
    for (const { tokenId } of histories)
      this.#creations.setFirstTransfer(tokenId, this.#histories.firstBlockOf(tokenId))
    this.#creations.follow(ref, isLive)
    this.#shares.follow(query)
    return { natives, ...states, histories, totals }
  }

  revert(
    ref: BlockRef,
    made: {
      tokens: readonly { id: number }[]
      pairs: readonly { id: number }[]
      toldPools?: readonly PairRecord[] | undefined
    },
  ) {
    this.late.revert(ref)
    const madeIds = new Set(made.tokens.map(({ id }) => id))
    // Tokens of an earlier run that were followed from this block on are so from the next.
    for (const token of this.#histories.revert(ref.number))
      if (!madeIds.has(token.id)) this.#resumed.push(token)
    for (const { number, tokenId, token } of this.#totalsRead)
      if (number === ref.number) this.#totalsWanted.set(tokenId, token)
    this.#totalsRead = this.#totalsRead.filter(({ number }) => number !== ref.number)
    for (const id of madeIds) this.#totalsWanted.delete(id)
    this.#firstStates.revert(ref.number, made.pairs, made.toldPools)
    this.#creations.revert(ref, made)
    for (const id of madeIds) this.#creationAsked.delete(id)
    this.#shares.revert(ref, made.pairs)
  }

  /** What has come since the last call for blocks that were resolved without it. */
  drainLate(): LateFacts[] {
    return [...this.late.drain(), ...this.#creations.drain(), ...this.#shares.drain()]
  }

  stats(): FactStats {
    return {
      lateTokenCount: this.late.waitingCount,
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

  /** The native coin itself is none: nobody answers for it, and it moves without a transfer. */
  #isContract({ address }: { address: string }): boolean {
    return address !== this.#options.profile.native.coin
  }

  #forgetBelow(heldFrom: number): void {
    this.late.forgetBelow(heldFrom)
    if (this.#totalsRead.length > 0)
      this.#totalsRead = this.#totalsRead.filter(({ number }) => number >= heldFrom)
    this.#firstStates.forgetBelow(heldFrom)
    this.#histories.forgetBelow(heldFrom)
    this.#creations.forgetBelow(heldFrom)
    this.#shares.forgetBelow(heldFrom)
  }

  /** Of a launch the block itself tells when it was. */
  #lookForCreations({ newPairs, pricedTokens, newborn }: FactsQuery): void {
    for (const pair of newPairs) this.#creations.addPair(pair)
    for (const token of pricedTokens) {
      if (this.#creationAsked.has(token.id)) continue
      this.#creationAsked.add(token.id)
      if (!this.#isContract(token) || newborn.has(token.address)) continue
      this.#creations.addToken(token, this.#histories.firstBlockOf(token.id))
    }
  }

  /** Symbols, names, decimals and total supplies of tokens that the block made known. */
  async #describe(query: FactsQuery, totals: Map<number, bigint>, budget: Budget): Promise<void> {
    const { ref, isLive, newTokens } = query
    const { reader, limits, tokens } = this.#options
    const ask = (records: readonly TokenRecord[]) =>
      reader.readTokens(addressesOf(records), pointOf(ref), isLive)
    const onAnswer = ({ id, address }: TokenRecord) => this.#totalsWanted.set(id, address)
    const awaitLate = (records: readonly TokenRecord[], asked: Promise<readonly TokenAnswer[]>) =>
      void this.late.await({ records, ref, asked, ask, onAnswer })
    const waiting = this.late.takeWaiting(limits.lateTokensMax)
    if (waiting.length > 0) awaitLate(waiting, ask(waiting))
    if (newTokens.length === 0) return
    const asked = ask(newTokens)
    const answers = await this.#takeTokens(asked, query, budget).catch(() => undefined)
    if (!answers) {
      awaitLate(newTokens, asked)
      return
    }
    for (const [i, token] of newTokens.entries()) {
      const answer = answers[i]!
      tokens.replace(describeToken(token, answer))
      if (answer.totalSupply !== null) totals.set(token.id, answer.totalSupply)
      // It may have been read ahead, before the block was live.
      else if (reader.hasNoHistory) this.#totalsWanted.set(token.id, token.address)
    }
  }

  /** Waits longer where the block prices one of them. */
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

  async #readTotals(
    tokens: readonly { tokenId: number; token: string }[],
    at: ReadPoint,
    budget: Budget,
  ): Promise<Map<number, bigint>> {
    const totals = new Map<number, bigint>()
    if (tokens.length === 0) return totals
    const asked = this.#options.reader.readTotals(
      tokens.map(({ token }) => token),
      at,
    )
    const answers = await budget.take(asked).catch(() => undefined)
    for (const [i, { tokenId }] of tokens.entries()) {
      const total = answers?.[i]
      if (total !== undefined && total !== null) totals.set(tokenId, total)
    }
    return totals
  }

  /** Some with each block. Nodes without history know the newest total only, which a live block has. */
  async #readTotalsWanted(
    totals: Map<number, bigint>,
    { ref, isLive }: FactsQuery,
    budget: Budget,
  ): Promise<void> {
    const { reader, limits } = this.#options
    if (reader.hasNoHistory && !isLive) return
    const wanted = [...this.#totalsWanted].slice(0, limits.lateTokensMax)
    if (wanted.length === 0) return
    const asked = reader.readTotals(
      wanted.map(([, token]) => token),
      pointOf(ref),
    )
    const answers = await budget.take(asked).catch(() => undefined)
    if (answers === undefined) return
    for (const [i, [tokenId, token]] of wanted.entries()) {
      this.#totalsWanted.delete(tokenId)
      const total = answers[i] ?? null
      // A token that hides its supply is not asked again.
      if (total === null) continue
      totals.set(tokenId, total)
      this.#totalsRead.push({ number: ref.number, tokenId, token })
    }
  }

  #takeHistories(
    { ref, newTokens }: FactsQuery,
    ready: readonly { tokenId: number }[],
    totalsBefore: ReadonlyMap<number, bigint>,
  ): TokenHistory[] {
    const tokenIds = new Set<number>()
    for (const { tokenId } of ready) tokenIds.add(tokenId)
    for (const { id } of newTokens) tokenIds.add(id)
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
