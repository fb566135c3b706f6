import type { ChainProfile } from '../model/chainProfile.ts'
import type { CurveTerms, DecodedBlock, DecodedEvent } from '../model/decodedBlock.ts'
import type { PairRecord } from '../model/pair.ts'
import { nativeToken } from '../model/pool.ts'
import type { PoolAnswer } from './chainReader.ts'

/** A pair to be made; its tokens are addresses still. */
export type PairPlan = Omit<PairRecord, 'id' | 'token0Id' | 'token1Id' | 'createdAtS'> & {
  token0: string
  token1: string
}

/** What a block names, by address. */
export type BlockPlan = {
  /** Pools whose events the block has, in order. */
  pools: ReadonlySet<string>
  /** Pools that the block's own venues and platforms say they made, in order. */
  made: ReadonlyMap<string, PairPlan>
  /** Curves of the config's platforms as the block's trades and graduations describe them, in order. */
  curves: ReadonlyMap<string, PairPlan>
  /** Tokens that moved. */
  movedTokens: ReadonlySet<string>
  /** Pools and launches of venues and platforms that are not in the config. */
  strangerCount: number
}

export function planBlock(block: DecodedBlock, profile: ChainProfile): BlockPlan {
  const pools = new Set<string>()
  const made = new Map<string, PairPlan>()
  const curves = new Map<string, PairPlan>()
  const movedTokens = new Set<string>()
  let strangerCount = 0
  for (const event of block.events) {
    if (event.type === 'transfer') {
      movedTokens.add(event.token)
      continue
    }
    for (const pool of poolsOf(event)) pools.add(pool)
    const curve = planCurve(event, profile)
    if (curve) curves.set(curve.address, curve)
    if (event.type !== 'pool' && event.type !== 'launch') continue
    const plan = planPair(event, profile)
    if (!plan) strangerCount++
    else if (!made.has(plan.address)) made.set(plan.address, plan)
  }
  return { pools, made, curves, movedTokens, strangerCount }
}

/** A pool of which no factory told, as it describes itself. */
export function planMetPair(address: string, answer: PoolAnswer, profile: ChainProfile): PairPlan {
  const { kind, token0, token1, factory, feePpm, isConfirmed } = answer
  const known = profile.venues.find((item) => item.address === factory)
  const amm = isConfirmed && known ? known.amm : 'unknown'
  return {
    address,
    kind,
    token0,
    token1,
    factory,
    amm,
    isTrusted: isConfirmed,
    feePpm,
    platform: null,
  }
}

function planPair(
  event: Extract<DecodedEvent, { type: 'pool' | 'launch' }>,
  profile: ChainProfile,
): PairPlan | null {
  if (event.type === 'launch') return planCurvePair(event.pool, event, profile)
  const token0 = wrap(event.token0, profile)
  const token1 = wrap(event.token1, profile)
  const known = profile.venues.find(({ address }) => address === event.factory)
  if (!known) return null
  const { pool: address, kind, factory, feePpm } = event
  const terms = { kind, amm: known.amm, isTrusted: true, feePpm, platform: null }
  return { address, token0, token1, factory, ...terms }
}

/** The curve of an event that tells of one; null where it is none of a platform in the config. */
function planCurve(
  event: Exclude<DecodedEvent, { type: 'transfer' }>,
  profile: ChainProfile,
): PairPlan | null {
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
  }
}

function wrap(token: string, profile: ChainProfile): string {
  return token === nativeToken ? profile.native.wrappedToken : token
}

function poolsOf(event: Exclude<DecodedEvent, { type: 'transfer' }>): readonly string[] {
  switch (event.type) {
    case 'pool':
    case 'launch':
      return []
    case 'graduation':
      return [event.curve, event.pool]
    default:
      return [event.pool]
  }
}
