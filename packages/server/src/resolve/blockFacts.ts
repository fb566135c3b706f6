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
  readonly #totals: Totals
  readonly #histories: HistoryJobs
  /** All but histories, which resume what a revert stops. */
  readonly #askers: readonly [LateTokens, Totals, FirstStates, Creations, Shares]
  /** Ids of tokens whose creation this run has begun to look for. */
  readonly #creationAsked: BoundedSet<number>
  /** The block in hand is. */
  #isLive = false
  #resumed: { id: number; address: string }[]
  /** Until then no block waits longer than its budget for decimals. */
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
    // An earlier run may have ended before it was live.
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

  /** Never throws: what is not answered in time is left out, and asked again or given later. */
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
    // Tokens whose holders are counted from this block on, or were by an earlier run, wait for the next block.
    this.#resumed.push(
      ...this.#histories.revert(ref.number),
      ...(made.answered?.incompleteTokens ?? []),
    )
    this.#resumed = this.#resumed.filter(({ id }) => !madeIds.has(id))
    for (const id of madeIds) this.#creationAsked.delete(id)
    for (const asker of this.#askers) asker.revert(ref, made)
  }

  /** What has come since the last call for blocks that were resolved without it. */
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

  /** The native coin itself is none: nobody answers for it, and it moves without a transfer. */
  #isContract({ address }: { address: string }): boolean {
    return address !== this.#options.profile.native.coin
  }

  #forgetBelow(heldFrom: number): void {
    for (const { questions } of this.#askers) questions.forgetBelow(heldFrom)
    this.#histories.forgetBelow(heldFrom)
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
      // It may have been read ahead, before the block was live.
      else if (reader.hasNoHistory) this.#totals.add(token)
    }
    return totals
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
