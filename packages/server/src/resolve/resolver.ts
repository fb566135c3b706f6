import { BoundedMap } from '../lib/boundedMap.ts'
import { BoundedSet } from '../lib/boundedSet.ts'
import type { BlockRef, NodeFault } from '../model/block.ts'
import type { DecodedBlock } from '../model/decodedBlock.ts'
import type { LateFacts } from '../model/logEntry.ts'
import { type PairRecord, pairReserveAccount } from '../model/pair.ts'
import { type PoolQuery, poolQueryOf } from '../model/pool.ts'
import type { ResolvedBlock } from '../model/resolvedBlock.ts'
import { hasPlaceholderMetadata, type TokenRecord } from '../model/token.ts'
import type { IgnoredContractChanges } from '../model/trust/ignoredContracts.ts'
import { BlockFacts, type BlockFactsStats } from './blockFacts.ts'
import {
  type BlockPlan,
  launchedTokensOf,
  type PairPlan,
  planBlock,
  planDiscoveredPair,
} from './blockPlan.ts'
import { parentPointOf, type ReadPoint } from './chainReader.ts'
import { type Clock, systemClock } from './clock.ts'
import { CreatedRecordsMissingError } from './errors.ts'
import { ConcentratedPools } from './pools/concentratedPools.ts'
import { MultiTokenPools } from './pools/multiTokenPools.ts'
import { addReserveChanges, findPossiblePools, prependQuietPools } from './pools/reserveChanges.ts'
import {
  createPrefetchingReader,
  type PrefetchingReader,
  type PrefetchQuery,
} from './prefetchingReader.ts'
import {
  IgnoredContractReviews,
  IgnoredContracts,
  type ReviewContext,
} from './questions/ignoredContracts.ts'
import type { RecordsToRevert } from './questions/questions.ts'
import { createRecords, findCreatedPairs } from './records/createRecords.ts'
import { RecordCache } from './records/recordCache.ts'
import { RequiredReads } from './requiredReads.ts'
import { resolveEvents } from './resolveEvents.ts'
import {
  type ResolveOptions,
  type ResolverLimits,
  type ResolverOptions,
  resolverLimitsDefault,
} from './resolverOptions.ts'

type ResolverStats = BlockFactsStats & {
  pairCount: number
  tokenCount: number
  /** Number of events from contracts that are not pools. */
  droppedEventCount: number
  /** Number of pools and launches reported by contracts that are not in the config. */
  unconfiguredCount: number
  /** Number of contracts that do not answer like pools. */
  ignoredContractCount: number
  /** Number of contracts that the current block waits for, until a node identifies them. */
  unresolvedPoolCount: number
}

// More blocks than are ever prefetched. A prefetched block that is reverted leaves its plan behind.
const plansMax = 1_000

/** Records a resolved block created, kept for its revert. */
type CreatedInBlock = RecordsToRevert & { hash: string }

/** Adds to decoded blocks everything that needs I/O, one block at a time, in order. */
export class Resolver {
  readonly #facts: BlockFacts
  readonly #reader: PrefetchingReader
  readonly #reads: RequiredReads
  readonly #options: ResolverOptions & { limits: ResolverLimits; clock: Clock }
  readonly #pairs: RecordCache<PairRecord>
  readonly #tokens: RecordCache<TokenRecord>
  readonly #concentrated: ConcentratedPools
  readonly #couples: MultiTokenPools
  readonly #ignoredContracts: IgnoredContracts
  readonly #reviews: IgnoredContractReviews
  /** Addresses named by blocks ahead of the one being resolved. */
  readonly #prefetched: BoundedSet<string>
  /** Records created by the last `reorgDepthMax` blocks, by block number, in order. */
  readonly #createdByNumber = new Map<number, CreatedInBlock>()
  /** Plans of prefetched blocks, oldest first. */
  readonly #plans = new BoundedMap<DecodedBlock, BlockPlan>(plansMax)
  #unresolvedPoolCount = 0
  #droppedEventCount = 0
  #unconfiguredCount = 0

  constructor(given: ResolverOptions) {
    const limits = { ...resolverLimitsDefault, ...given.limits }
    const reader = createPrefetchingReader(given.reader, limits)
    const { clock = systemClock, signal = new AbortController().signal } = given
    const options = { ...given, limits, reader, clock }
    const { records } = options
    this.#reader = reader
    this.#reads = new RequiredReads(clock, signal, given.logger)
    this.#options = options
    this.#pairs = new RecordCache({
      find: (addresses) => this.#reads.ask('stored pairs', () => records.findPairs(addresses)),
      nextId: options.nextPairId,
      recordsMax: limits.pairsMax,
      absentMax: limits.unknownAddressesMax,
    })
    this.#tokens = new RecordCache({
      find: (addresses) => this.#reads.ask('stored tokens', () => records.findTokens(addresses)),
      nextId: options.nextTokenId,
      recordsMax: limits.tokensMax,
      absentMax: limits.unknownAddressesMax,
    })
    this.#concentrated = new ConcentratedPools({
      list: (list) => this.#reads.ask('stored pools', () => records.listPairs(list)),
      filterBytes: limits.poolFilterBytes,
    })
    this.#couples = new MultiTokenPools({
      find: (pools) => this.#reads.ask('stored pairs', () => records.findCouples(pools)),
      isEmpty: options.nextPairId === 0,
      pairs: this.#pairs,
      coupleIdOf: options.reader.coupleIdOf,
    })
    this.#ignoredContracts = new IgnoredContracts({
      countMax: limits.ignoredContractsMax,
      validMs: limits.ignoreMs,
      validMsMax: limits.ignoreMsMax,
      clock: options.clock,
      known: options.ignoredContracts,
    })
    this.#reviews = new IgnoredContractReviews({
      ...options,
      ignoredContracts: this.#ignoredContracts,
      retryUntilAnswered: (ask) => this.#reads.ask('pools', ask),
    })
    this.#prefetched = new BoundedSet(limits.prefetchedMax)
    this.#facts = new BlockFacts({ ...options, tokens: this.#tokens })
  }

  /** Starts reading what the block will need. The block may be dropped without being resolved. */
  prefetch(block: DecodedBlock): void {
    this.#reader.prefetch(this.#prefetchQueryOf(block))
  }

  /** May be retried with the same block after it threw. */
  async resolve(block: DecodedBlock, options: ResolveOptions): Promise<ResolvedBlock> {
    const { ref } = block
    const { receivedMs, isLive } = options
    const context = { ref, settledNumber: options.settledNumber ?? -1 }
    await this.#reviews.reinstateProven(context)
    this.#reviews.askDueContracts(ref)
    const plan = this.#planOf(block)
    this.#plans.delete(block)
    await this.#concentrated.loadStored()
    const holders = findPossiblePools(block, plan, this.#concentrated)
    await this.#loadRecords(plan, holders)
    const { plans, notPools } = await this.#planPairs(plan, context)
    const createdPairs = await findCreatedPairs(this.#options, {
      plans,
      made: plan.created,
      ref,
      isLive,
    })
    // Ids are assigned from here on, so nothing below may throw.
    this.#unconfiguredCount += plan.unconfiguredCount
    for (const address of notPools) this.#ignoredContracts.add(address, ref)
    for (const { address } of plans) this.#ignoredContracts.delete(address)
    const { newTokens, pairs } = createRecords(plans, {
      createdPairs,
      ref,
      profile: this.#options.profile,
      tokens: this.#tokens,
      pairs: this.#pairs,
    })
    this.#rememberCreated(ref, { hash: ref.hash, tokens: newTokens, pairs })
    for (const pair of pairs) {
      if (pair.kind === 'concentrated') this.#concentrated.add(pairReserveAccount(pair))
      this.#couples.add(pair)
    }
    const leftOut = [...plan.pools.values()].filter((query) => !this.#couples.pairOf(query))
    this.#ignoredContracts.recordIgnored(leftOut.map(({ key }) => key))
    const isMetCurve = ({ kind, address }: PairRecord) =>
      kind === 'curve' && !plan.created.has(address)
    const resolved = resolveEvents(block, {
      pairOf: (mention) => this.#couples.pairOf(mention),
      pairsOf: (pool) => this.#couples.pairsOf(pool),
      tokenIdOf: (address) => this.#tokens.get(address)?.id,
      discoveredCurves: new Set(pairs.filter(isMetCurve).map(({ address }) => address)),
    })
    this.#droppedEventCount += resolved.droppedCount
    const isShifting = holders.size + plan.multiTokenPools.size > 0
    const events = isShifting
      ? addReserveChanges(resolved.events, holders, (pool) => this.#couples.pairsOf(pool))
      : resolved.events
    const isCreatedInBlock = ({ address }: PairRecord) => plan.created.has(address)
    const launchedTokens = launchedTokensOf(plan)
    const { poolsWithoutEvents, ...facts } = await this.#facts.read({
      ref,
      isLive,
      events,
      newTokens,
      launchedTokens,
      isCreatedInBlock,
      revertibleFrom: this.#createdByNumber.keys().next().value ?? ref.number,
      newPairs: pairs,
      pricedTokens: this.#pricedTokensOf(plans),
    })
    const tokens = newTokens.map(({ address }) => this.#tokens.get(address)!)
    this.#pairs.evict()
    this.#tokens.evict()
    return {
      ref,
      receivedMs,
      isLive,
      tokens,
      pairs,
      events: prependQuietPools(events, poolsWithoutEvents),
      ...facts,
      nativeUsd: options.nativeUsd ?? null,
    }
  }

  /** Returns what a block names that is neither in memory nor prefetched. */
  #prefetchQueryOf(block: DecodedBlock): PrefetchQuery {
    const plan = this.#planOf(block)
    const { pools, created, curves } = plan
    const reported = [...created.values(), ...curves.values()]
    for (const { address } of reported) this.#prefetched.add(address)
    const isNew = (address: string) => {
      if (this.#prefetched.has(address)) return false
      this.#prefetched.add(address)
      return true
    }
    const { native, quotes } = this.#options.profile
    const tokens = reported
      .flatMap(({ token0, token1 }) => [token0, token1])
      .filter((token) => token !== native.coin && !this.#tokens.get(token) && isNew(token))
    const launched = launchedTokensOf(plan)
    const unknownPools: PoolQuery[] = []
    for (const [key, query] of pools)
      if (!this.#couples.pairOf(query) && !this.#ignoredContracts.isIgnored(key) && isNew(key))
        unknownPools.push(query)
    return {
      pools: unknownPools,
      tokens,
      at: block.ref,
      // Quote assets have the longest transfer history, and are stored after the first run.
      olderTokens: tokens.filter((token) => !launched.has(token) && !quotes.includes(token)),
      parent: parentPointOf(block.ref),
    }
  }

  /** Reverts the newest block. `created` is required for a block that another process resolved. */
  revert(ref: BlockRef, created?: RecordsToRevert | undefined): void {
    const own = this.#createdByNumber.get(ref.number)
    const made = own?.hash === ref.hash ? own : created
    if (!made) throw new CreatedRecordsMissingError(ref)
    this.#createdByNumber.delete(ref.number)
    this.#facts.revert(ref, made)
    this.#pairs.revert(ref.number, made.pairs)
    this.#tokens.revert(ref.number, made.tokens)
    this.#ignoredContracts.revert(ref.number)
  }

  /** Returns a pair if it is in memory. */
  pairOf(address: string): PairRecord | undefined {
    return this.#pairs.get(address)
  }

  /**
   * Reports that the store has all blocks up to `number`: their records may be evicted from memory.
   */
  onPersisted(number: number): void {
    this.#pairs.onPersisted(number)
    this.#tokens.onPersisted(number)
  }

  /** The unanswered request that the current block waits for, with the last error; or null. */
  waitingFor(): NodeFault | null {
    return this.#reads.waitingFor
  }

  stats(): ResolverStats {
    return {
      pairCount: this.#pairs.size,
      tokenCount: this.#tokens.size,
      droppedEventCount: this.#droppedEventCount,
      unconfiguredCount: this.#unconfiguredCount,
      ignoredContractCount: this.#ignoredContracts.size,
      unresolvedPoolCount: this.#reads.waitingFor === null ? 0 : this.#unresolvedPoolCount,
      ...this.#facts.stats(),
    }
  }

  /** Returns facts that arrived since the last call, for blocks that were resolved without them. */
  takeLateFacts(): LateFacts[] {
    return this.#facts.takeLateFacts()
  }

  /** Returns how the newest block changed the record of ignored contracts; null if unchanged. */
  takeIgnoredChanges(): IgnoredContractChanges | null {
    return this.#ignoredContracts.takeChanges()
  }

  close(): void {
    this.#reader.close()
    this.#facts.close()
  }

  #planOf(block: DecodedBlock): BlockPlan {
    const known = this.#plans.get(block)
    if (known !== undefined) return known
    const { profile, reader } = this.#options
    const plan = planBlock(block, profile, reader.coupleIdOf)
    this.#plans.set(block, plan)
    return plan
  }

  #pricedTokensOf(plans: readonly PairPlan[]): TokenRecord[] {
    const addresses = plans
      .filter(({ isTrusted }) => isTrusted)
      .flatMap(({ token0, token1, others }) => [token0, token1, ...others])
    return [...new Set(addresses)].map((address) => this.#tokens.get(address)!)
  }

  async #loadRecords(
    { pools, multiTokenPools, created, curves, movedTokens }: BlockPlan,
    holders: ReadonlySet<string>,
  ): Promise<void> {
    // A holder may be a pool of more than two tokens, which has no pair under its own address.
    const wide = new Set([...multiTokenPools, ...holders])
    const couples = await this.#couples.load(wide)
    const reported: string[] = []
    for (const { token0, token1 } of created.values()) reported.push(token0, token1)
    for (const { token0, token1 } of curves.values()) reported.push(token0, token1)
    await Promise.all([
      this.#pairs.load(pools.keys(), created.keys(), wide, couples),
      this.#loadTokens(movedTokens, reported),
    ])
  }

  /** Queues loaded tokens whose metadata was unanswered when they were stored. */
  async #loadTokens(...lists: readonly Iterable<string>[]): Promise<void> {
    for (const record of await this.#tokens.load(...lists))
      if (hasPlaceholderMetadata(record)) this.#facts.late.questions.add(record)
  }

  /**
   * Returns the pairs to create: first those that platforms and venues report, then those that
   * events name. `notPools` are contracts that do not answer like pools.
   */
  async #planPairs(
    { pools, created, curves }: BlockPlan,
    context: ReviewContext,
  ): Promise<{ plans: PairPlan[]; notPools: string[] }> {
    const { profile } = this.#options
    const reported = curves.size === 0 ? created : new Map([...curves, ...created])
    const fresh = [...reported.values()].filter(({ address }) => !this.#pairs.get(address))
    const plans = fresh.filter(({ params }) => params !== null)
    const strangers = fresh
      .filter(({ params }) => params === null)
      .map(({ address, venue, kind, factory }): PoolQuery => {
        const manager = kind === 'vault' ? factory : undefined
        return { ...poolQueryOf(address), venues: [venue], manager }
      })
    for (const [key, query] of pools)
      if (
        !this.#couples.pairOf(query) &&
        !reported.has(query.pool) &&
        !this.#ignoredContracts.isIgnored(key)
      )
        strangers.push(query)
    if (strangers.length === 0) return { plans, notPools: [] }
    const answers = await this.#readPools(strangers, context.ref)
    const found: PairPlan[] = []
    const notPools: string[] = []
    for (const [i, query] of strangers.entries()) {
      const answer = answers[i]
      if (answer) found.push(planDiscoveredPair(query, answer, profile))
      else notPools.push(query.key)
    }
    for (const { address } of found) await this.#reviews.reinstate(address, context)
    await this.#loadTokens(found.flatMap((plan) => [plan.token0, plan.token1, ...plan.others]))
    return { plans: [...plans, ...found], notPools }
  }

  /** Waits for an answer: a node failure never marks a contract as not a pool. */
  async #readPools(pools: readonly PoolQuery[], { number, hash }: ReadPoint) {
    const { reader } = this.#options
    this.#unresolvedPoolCount = pools.length
    return await this.#reads.ask('pools', () => reader.readPools(pools, { number, hash }))
  }

  #rememberCreated(ref: BlockRef, made: CreatedInBlock): void {
    const { reorgDepthMax } = this.#options.profile
    this.#createdByNumber.set(ref.number, made)
    for (const number of this.#createdByNumber.keys()) {
      if (this.#createdByNumber.size <= reorgDepthMax) break
      this.#createdByNumber.delete(number)
    }
  }
}
