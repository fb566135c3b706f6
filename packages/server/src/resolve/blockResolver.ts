import { nodeFaultOf } from '../chain/errors.ts'
import { BoundedMap } from '../lib/boundedMap.ts'
import type { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
import type { BlockRef, NodeFault } from '../model/block.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import type { DecodedBlock } from '../model/decodedBlock.ts'
import type { NativeUsd } from '../model/finishedBlock.ts'
import { accountOf, type PairRecord } from '../model/pair.ts'
import { type PoolQuery, queryOf } from '../model/pool.ts'
import type { ResolvedBlock } from '../model/resolvedBlock.ts'
import { isStandIn, type TokenRecord } from '../model/token.ts'
import type { LeftOutChanges, LeftOutContract } from '../model/trust/leftOut.ts'
import { BlockFacts, type FactStats } from './blockFacts.ts'
import {
  type BlockPlan,
  newbornTokens,
  type PairPlan,
  planBlock,
  planDiscoveredPair,
} from './blockPlan.ts'
import { type ChainReader, parentOf, type ReadPoint } from './chainReader.ts'
import type { Clock } from './clock.ts'
import { CreatedUnknownError } from './errors.ts'
import { ConcentratedPools } from './pools/concentratedPools.ts'
import { findBorn } from './pools/findBorn.ts'
import { PoolCouples } from './pools/poolCouples.ts'
import { addReserveChanges, findPoolHolders, putQuietPools } from './pools/reserveChanges.ts'
import type { Prefetch } from './prefetchingReader.ts'
import { NotPools } from './questions/notPools.ts'
import type { AnsweredSubjects, OpenSubjects } from './questions/openSubjects.ts'
import { PoolReviews, type ReviewContext } from './questions/poolReviews.ts'
import { BoundedSet } from './records/boundedSet.ts'
import { makeRecords } from './records/makeRecords.ts'
import { RecordCache } from './records/recordCache.ts'
import type { RecordReader } from './records/recordReader.ts'
import { resolveEvents } from './resolveEvents.ts'
import type { ResolverLimits } from './resolverLimits.ts'
import { retrying } from './retrying.ts'

export type BlockResolverOptions = {
  profile: ChainProfile
  reader: ChainReader
  records: RecordReader
  nextTokenId: number
  nextPairId: number
  open?: Partial<OpenSubjects> | undefined
  leftOut?: readonly LeftOutContract[] | undefined
  limits: ResolverLimits
  clock: Clock
  logger: Logger
  signal: AbortSignal
}

export type ResolveOptions = {
  receivedMs: number
  /** False while catching up: waits for all that can be read, and skips native balances. */
  isLive: boolean
  /** Number of the last final block. @default -1 */
  settledNumber?: number | undefined
  /** Native coin's price on another chain, stored as part of the block. @default null */
  nativeUsd?: NativeUsd | null | undefined
}

/** What a revert needs of a block of an earlier run. A finished block has this shape. */
export type CreatedRecords = {
  tokens: readonly Pick<TokenRecord, 'id' | 'address'>[]
  pairs: readonly Pick<PairRecord, 'id' | 'address'>[]
  /** Older tokens and pairs whose open questions the block answered. @default none */
  answered?: AnsweredSubjects | undefined
}

export type ResolverStats = FactStats & {
  pairCount: number
  tokenCount: number
  /** Number of events from contracts that are not pools. */
  droppedEventCount: number
  /** Number of pools and launches reported by contracts that are not in the config. */
  strangerCount: number
  /** Number of contracts that do not answer like pools. */
  notPoolCount: number
  /** Number of contracts that the current block waits for, until a node identifies them. */
  unresolvedPoolCount: number
}

// More blocks than are ever prefetched. A prefetched block that is reverted leaves its plan behind.
const plansMax = 1_000

/** Records a resolved block created, kept for its revert. */
type Made = CreatedRecords & { hash: string }

/** State of the resolver, and the steps that resolve one block. */
export class BlockResolver {
  readonly facts: BlockFacts
  readonly #options: BlockResolverOptions
  readonly #pairs: RecordCache<PairRecord>
  readonly #tokens: RecordCache<TokenRecord>
  readonly #concentrated: ConcentratedPools
  readonly #couples: PoolCouples
  readonly #notPools: NotPools
  readonly #reviews: PoolReviews
  /** Addresses named by blocks ahead of the one being resolved. */
  readonly #prefetched: BoundedSet<string>
  /** Records created by the last `reorgDepthMax` blocks, by block number, in order. */
  readonly #madeByNumber = new Map<number, Made>()
  /** Plans of prefetched blocks, oldest first. */
  readonly #plans = new BoundedMap<DecodedBlock, BlockPlan>(plansMax)
  /** The unanswered request that the current block waits for, with the last error; or null. */
  waitsFor: NodeFault | null = null
  #unresolvedPoolCount = 0
  #droppedEventCount = 0
  #strangerCount = 0

  constructor(options: BlockResolverOptions) {
    const { records, limits } = options
    this.#options = options
    this.#pairs = new RecordCache({
      find: (addresses) => this.#insist('stored pairs', () => records.findPairs(addresses)),
      nextId: options.nextPairId,
      recordsMax: limits.pairsMax,
      absentMax: limits.strangersMax,
    })
    this.#tokens = new RecordCache({
      find: (addresses) => this.#insist('stored tokens', () => records.findTokens(addresses)),
      nextId: options.nextTokenId,
      recordsMax: limits.tokensMax,
      absentMax: limits.strangersMax,
    })
    this.#concentrated = new ConcentratedPools({
      list: (list) => this.#insist('stored pools', () => records.listPairs(list)),
      filterBytes: limits.poolFilterBytes,
    })
    this.#couples = new PoolCouples({
      find: (pools) => this.#insist('stored pairs', () => records.findCouples(pools)),
      isEmpty: options.nextPairId === 0,
      pairs: this.#pairs,
      coupleIdOf: options.reader.coupleIdOf,
    })
    this.#notPools = new NotPools({
      countMax: limits.notPoolsMax,
      validMs: limits.notPoolMs,
      validMsMax: limits.notPoolMsMax,
      clock: options.clock,
      known: options.leftOut,
    })
    this.#reviews = new PoolReviews({
      ...options,
      notPools: this.#notPools,
      insist: (ask) => this.#insist('pools', ask),
    })
    this.#prefetched = new BoundedSet(limits.prefetchedMax)
    this.facts = new BlockFacts({ ...options, tokens: this.#tokens })
  }

  async resolve(block: DecodedBlock, options: ResolveOptions): Promise<ResolvedBlock> {
    const { ref } = block
    const { receivedMs, isLive } = options
    const context = { ref, settledNumber: options.settledNumber ?? -1 }
    await this.#reviews.settle(context)
    this.#reviews.begin(ref)
    const plan = this.#planOf(block)
    this.#plans.delete(block)
    await this.#concentrated.fill()
    const holders = findPoolHolders(block, plan, this.#concentrated)
    await this.#loadRecords(plan, holders)
    const { plans, notPools } = await this.#planPairs(plan, context)
    const born = await findBorn(this.#options, { plans, made: plan.made, ref, isLive })
    // Ids are assigned from here on, so nothing below may throw.
    this.#strangerCount += plan.strangerCount
    for (const address of notPools) this.#notPools.add(address, ref)
    for (const { address } of plans) this.#notPools.delete(address)
    const { newTokens, pairs } = makeRecords(plans, {
      born,
      ref,
      profile: this.#options.profile,
      tokens: this.#tokens,
      pairs: this.#pairs,
    })
    this.#keep(ref, { hash: ref.hash, tokens: newTokens, pairs })
    for (const pair of pairs) {
      if (pair.kind === 'concentrated') this.#concentrated.add(accountOf(pair))
      this.#couples.add(pair)
    }
    const leftOut = [...plan.pools.values()].filter((query) => !this.#couples.pairOf(query))
    this.#notPools.leaveOut(leftOut.map(({ key }) => key))
    const isMetCurve = ({ kind, address }: PairRecord) =>
      kind === 'curve' && !plan.made.has(address)
    const resolved = resolveEvents(block, {
      pairOf: (mention) => this.#couples.pairOf(mention),
      pairsOf: (pool) => this.#couples.pairsOf(pool),
      tokenIdOf: (address) => this.#tokens.get(address)?.id,
      metCurves: new Set(pairs.filter(isMetCurve).map(({ address }) => address)),
    })
    this.#droppedEventCount += resolved.droppedCount
    const isShifting = holders.size + plan.widePools.size > 0
    const events = isShifting
      ? addReserveChanges(resolved.events, holders, (pool) => this.#couples.pairsOf(pool))
      : resolved.events
    const isMade = ({ address }: PairRecord) => plan.made.has(address)
    const newborn = newbornTokens(plan)
    const { quietPools, ...facts } = await this.facts.read({
      ref,
      isLive,
      events,
      newTokens,
      newborn,
      isMade,
      heldFrom: this.#madeByNumber.keys().next().value ?? ref.number,
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
      events: putQuietPools(events, quietPools),
      ...facts,
      nativeUsd: options.nativeUsd ?? null,
    }
  }

  /** Returns what a block names that is neither in memory nor prefetched. */
  unknownOf(block: DecodedBlock): Prefetch {
    const plan = this.#planOf(block)
    const { pools, made, curves } = plan
    const reported = [...made.values(), ...curves.values()]
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
    const newborn = newbornTokens(plan)
    const unknownPools: PoolQuery[] = []
    for (const [key, query] of pools)
      if (!this.#couples.pairOf(query) && !this.#notPools.has(key) && isNew(key))
        unknownPools.push(query)
    return {
      pools: unknownPools,
      tokens,
      at: block.ref,
      // Quote assets have the longest transfer history of all, and are in the store after the first
      // run.
      olderTokens: tokens.filter((token) => !newborn.has(token) && !quotes.includes(token)),
      parent: parentOf(block.ref),
    }
  }

  revert(ref: BlockRef, created: CreatedRecords | undefined): void {
    const own = this.#madeByNumber.get(ref.number)
    const made = own?.hash === ref.hash ? own : created
    if (!made) throw new CreatedUnknownError(ref)
    this.#madeByNumber.delete(ref.number)
    this.facts.revert(ref, made)
    this.#pairs.revert(ref.number, made.pairs)
    this.#tokens.revert(ref.number, made.tokens)
    this.#notPools.revert(ref.number)
  }

  readonly pairOf = (address: string) => this.#pairs.get(address)

  persisted(number: number): void {
    this.#pairs.persisted(number)
    this.#tokens.persisted(number)
  }

  stats(): ResolverStats {
    return {
      pairCount: this.#pairs.size,
      tokenCount: this.#tokens.size,
      droppedEventCount: this.#droppedEventCount,
      strangerCount: this.#strangerCount,
      notPoolCount: this.#notPools.size,
      unresolvedPoolCount: this.waitsFor === null ? 0 : this.#unresolvedPoolCount,
      ...this.facts.stats(),
    }
  }

  /** Returns how the newest block changed the record of ignored contracts; null if unchanged. */
  takeLeftOut(): LeftOutChanges | null {
    return this.#notPools.takeChanges()
  }

  close(): void {
    this.facts.close()
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

  async #insist<answer>(what: string, ask: () => Promise<answer>): Promise<answer> {
    const { clock, signal, logger } = this.#options
    const onFailure = (error: AppError) => {
      const { summary, text } = nodeFaultOf(error)
      this.waitsFor = { summary: `${what}: ${summary}`, text: `${what}: ${text}` }
      logger.warn({ msg: 'Waiting for an answer', what, error: text })
    }
    const answer = await retrying(ask, { what, clock, signal, onFailure })
    this.waitsFor = null
    return answer
  }

  async #loadRecords(
    { pools, widePools, made, curves, movedTokens }: BlockPlan,
    holders: ReadonlySet<string>,
  ): Promise<void> {
    // A holder may be a pool with more than two tokens, which has several pairs and no pair under
    // its own address.
    const wide = new Set([...widePools, ...holders])
    const couples = await this.#couples.load(wide)
    const reported: string[] = []
    for (const { token0, token1 } of made.values()) reported.push(token0, token1)
    for (const { token0, token1 } of curves.values()) reported.push(token0, token1)
    await Promise.all([
      this.#pairs.load(pools.keys(), made.keys(), wide, couples),
      this.#loadTokens(movedTokens, reported),
    ])
  }

  /** Queues loaded tokens whose metadata was unanswered when they were stored. */
  async #loadTokens(...lists: readonly Iterable<string>[]): Promise<void> {
    for (const record of await this.#tokens.load(...lists))
      if (isStandIn(record)) this.facts.late.questions.add(record)
  }

  /**
   * Returns the pairs to create: first those reported by platforms and venues, then those
   * discovered by their events. `notPools` are contracts that do not answer like pools.
   */
  async #planPairs(
    { pools, made, curves }: BlockPlan,
    context: ReviewContext,
  ): Promise<{ plans: PairPlan[]; notPools: string[] }> {
    const { profile } = this.#options
    const reported = curves.size === 0 ? made : new Map([...curves, ...made])
    const fresh = [...reported.values()].filter(({ address }) => !this.#pairs.get(address))
    const plans = fresh.filter(({ params }) => params !== null)
    const strangers = fresh
      .filter(({ params }) => params === null)
      .map(({ address, venue, kind, factory }): PoolQuery => {
        const manager = kind === 'vault' ? factory : undefined
        return { ...queryOf(address), venues: [venue], manager }
      })
    for (const [key, query] of pools)
      if (!this.#couples.pairOf(query) && !reported.has(query.pool) && !this.#notPools.has(key))
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
    for (const { address } of found) await this.#reviews.makeGood(address, context)
    await this.#loadTokens(found.flatMap((plan) => [plan.token0, plan.token1, ...plan.others]))
    return { plans: [...plans, ...found], notPools }
  }

  /** Waits for an answer: a node failure never marks a contract as not a pool. */
  async #readPools(pools: readonly PoolQuery[], { number, hash }: ReadPoint) {
    const { reader } = this.#options
    this.#unresolvedPoolCount = pools.length
    return await this.#insist('pools', () => reader.readPools(pools, { number, hash }))
  }

  #keep(ref: BlockRef, made: Made): void {
    const { reorgDepthMax } = this.#options.profile
    this.#madeByNumber.set(ref.number, made)
    for (const number of this.#madeByNumber.keys()) {
      if (this.#madeByNumber.size <= reorgDepthMax) break
      this.#madeByNumber.delete(number)
    }
  }
}
