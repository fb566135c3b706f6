import type { ChainProfile } from '../model/chainProfile.ts'
import {
  type CurveTerms,
  type DecodedBlock,
  type DecodedEvent,
  type DecodedHolding,
  type DecodedLaunch,
  isHoldingEvent,
  type PoolReference,
} from '../model/decodedBlock.ts'
import type { PairRecord } from '../model/pair.ts'
import { nativeToken, type PoolAnswer, type PoolQuery } from '../model/pool.ts'
import type { ChainReader } from './chainReader.ts'

/** A pair to create, with token addresses that have no ids yet. */
export type PairPlan = Omit<
  PairRecord,
  'id' | 'token0Id' | 'token1Id' | 'otherIds' | 'createdAtS' | 'params'
> & {
  token0: string
  token1: string
  others: readonly string[]
  /** Venue parameters of the pool. Null if they must be read from the pool. */
  params: readonly bigint[] | null
}

/** Addresses that a block names, before any of them is looked up. */
export type BlockPlan = {
  /** Pools with events in the block, by the address of their pair, in event order. */
  pools: ReadonlyMap<string, PoolQuery>
  /** Pools of the block that may have more than two tokens; not all of them are in `pools`. */
  multiTokenPools: ReadonlySet<string>
  /**
   * Pairs created in this block according to configured venues and launch platforms, by address, in
   * event order.
   */
  created: ReadonlyMap<string, PairPlan>
  /**
   * Curves of configured launch platforms, as the block's trades and graduations describe them, by
   * address, in event order.
   */
  curves: ReadonlyMap<string, PairPlan>
  /** Tokens with transfers or balance changes in the block. */
  movedTokens: ReadonlySet<string>
  /** Number of pools and launches of venues and platforms that are not in the config. */
  unconfiguredCount: number
}

export function planBlock(
  block: DecodedBlock,
  profile: ChainProfile,
  coupleIdOf: ChainReader['coupleIdOf'],
): BlockPlan {
  const pools = new Map<string, PoolQuery>()
  const multiTokenPools = new Set<string>()
  const created = new Map<string, PairPlan>()
  const curves = new Map<string, PairPlan>()
  const movedTokens = new Set<string>()
  const inPools: DecodedLaunch[] = []
  let unconfiguredCount = 0
  for (const event of block.events) {
    if (isHoldingEvent(event)) {
      movedTokens.add(event.token)
      continue
    }
    if (event.type === 'flow') {
      multiTokenPools.add(event.pool)
      movedTokens.add(event.token)
      continue
    }
    if ('couple' in event && event.couple !== undefined) multiTokenPools.add(event.pool)
    addQueries(pools, event, coupleIdOf)
    const curve = planCurve(event, profile)
    if (curve) curves.set(curve.address, curve)
    if (event.type !== 'pool' && event.type !== 'launch') continue
    if (event.type === 'launch' && event.isInPool) {
      inPools.push(event)
      continue
    }
    const plan = planPair(event, profile)
    if (!plan) unconfiguredCount++
    else if (!created.has(plan.address)) created.set(plan.address, plan)
  }
  for (const launch of inPools) if (!markLaunched(created, launch, profile)) unconfiguredCount++
  return { pools, multiTokenPools, created, curves, movedTokens, unconfiguredCount }
}

/** Plans the pair of a pool without a creation event, from the pool's own answer. */
export function planDiscoveredPair(
  { key, pool }: PoolQuery,
  answer: PoolAnswer,
  profile: ChainProfile,
): PairPlan {
  const { venue, kind, token0, token1, others, factory, feePpm, params, isConfirmed } = answer
  const known = profile.venues.find((item) => item.address === factory && item.venue === venue)
  const isCouple = answer.isCouple ?? others.length > 0
  return {
    address: isCouple ? key : pool,
    kind,
    token0: wrap(token0, profile),
    token1: wrap(token1, profile),
    others: others.map((token) => wrap(token, profile)),
    factory,
    amm: isConfirmed && known ? known.amm : 'unknown',
    isTrusted: isConfirmed,
    feePpm,
    platform: null,
    venue,
    params,
    pool: isCouple ? pool : null,
  }
}

function planPair(
  event: Extract<DecodedEvent, { type: 'pool' | 'launch' }>,
  profile: ChainProfile,
): PairPlan | null {
  if (event.type === 'launch')
    return planCurvePair(event.pool, { ...event, venue: event.venues?.[0] }, profile)
  const token0 = wrap(event.token0, profile)
  const token1 = wrap(event.token1, profile)
  const { pool: address, kind, factory, feePpm, venues, params = [] } = event
  // Several venues may share the event; the factory's configured venue decides.
  const known = profile.venues.find(
    (item) => item.address === factory && venues?.includes(item.venue) !== false,
  )
  if (!known) return null
  const { venue, amm } = known
  const terms = { kind, amm, isTrusted: true, feePpm, platform: null, venue, params, pool: null }
  return { address, token0, token1, others: [], factory, ...terms }
}

/**
 * Marks a pool created in this block as the one a launch platform put its token in. Returns false
 * if the platform is not in the config.
 */
function markLaunched(
  made: Map<string, PairPlan>,
  { platform, pool, token0 }: DecodedLaunch,
  { launchPlatforms }: ChainProfile,
): boolean {
  const known = launchPlatforms.find(({ address }) => address === platform)
  const plan = made.get(pool)
  if (plan && known && [plan.token0, plan.token1].includes(token0))
    made.set(pool, { ...plan, platform: known.platform })
  return known !== undefined
}

/**
 * Plans the curve described by a trade or graduation; null without one, or if its platform is not
 * in the config.
 */
function planCurve(event: PoolEvent, profile: ChainProfile): PairPlan | null {
  if (event.type === 'swap' && event.curve) return planCurvePair(event.pool, event.curve, profile)
  if (event.type === 'graduation' && event.terms)
    return planCurvePair(event.curve, event.terms, profile)
  return null
}

function planCurvePair(address: string, terms: CurveTerms, profile: ChainProfile): PairPlan | null {
  const known = profile.launchPlatforms.find((item) => item.address === terms.platform)
  if (!known) return null
  const { platform, amm, address: factory } = known
  const tokens = { token0: wrap(terms.token0, profile), token1: wrap(terms.token1, profile) }
  return {
    address,
    kind: 'curve',
    ...tokens,
    factory,
    amm,
    isTrusted: true,
    feePpm: null,
    platform,
    venue: terms.venue ?? '',
    params: [],
    pool: null,
    others: [],
  }
}

function wrap(token: string, profile: ChainProfile): string {
  return token === nativeToken ? profile.native.wrappedToken : token
}

type PoolEvent = Exclude<DecodedEvent, DecodedHolding | { type: 'flow' }>

function addQueries(
  pools: Map<string, PoolQuery>,
  event: PoolEvent,
  coupleIdOf: ChainReader['coupleIdOf'],
): void {
  switch (event.type) {
    case 'pool':
    case 'launch':
      return
    case 'graduation':
      addQuery(pools, event.curve, { pool: event.curve })
      addQuery(pools, event.pool, { pool: event.pool })
      return
    case 'curve':
      addQuery(pools, event.pool, { pool: event.pool })
      return
    default:
      addQuery(pools, event.couple ? coupleIdOf(event.pool, event.couple) : event.pool, event)
  }
}

function addQuery(pools: Map<string, PoolQuery>, key: string, mention: PoolReference): void {
  const { pool, venues, manager, couple, tokens } = mention
  const known = pools.get(key)
  if (known === undefined) pools.set(key, { key, pool, venues, manager, couple, tokens })
  else if (known.venues !== venues && venues !== undefined)
    // All events of a pool are of one venue, so only the venues common to all of them remain.
    pools.set(key, {
      ...known,
      venues: known.venues?.filter((name) => venues.includes(name)) ?? venues,
      tokens: known.tokens ?? tokens,
    })
}

const none: ReadonlySet<string> = new Set()

/**
 * Returns tokens that a launch platform created in this block: only a launch puts a curve into
 * `made`.
 */
export function launchedTokensOf({ created }: BlockPlan): ReadonlySet<string> {
  if (created.size === 0) return none
  const curves = [...created.values()].filter(({ kind }) => kind === 'curve')
  return new Set(curves.map(({ token0 }) => token0))
}
