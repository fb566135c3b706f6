import type { ChainProfile } from '../model/chainProfile.ts'
import type { DecodedBlock, DecodedEvent } from '../model/decodedBlock.ts'
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
  /** Pools that the block's own factories and platforms say they made, in order. */
  made: ReadonlyMap<string, PairPlan>
  /** Tokens that moved. */
  movedTokens: ReadonlySet<string>
  /** Pools and launches of factories and platforms that are not in the config. */
  strangerCount: number
}

export function planBlock(block: DecodedBlock, profile: ChainProfile): BlockPlan {
  const pools = new Set<string>()
  const made = new Map<string, PairPlan>()
  const movedTokens = new Set<string>()
  let strangerCount = 0
  for (const event of block.events) {
    if (event.type === 'transfer') {
      movedTokens.add(event.token)
      continue
    }
    for (const pool of poolsOf(event)) pools.add(pool)
    if (event.type !== 'pool' && event.type !== 'launch') continue
    const plan = planPair(event, profile)
    if (!plan) strangerCount++
    else if (!made.has(plan.address)) made.set(plan.address, plan)
  }
  return { pools, made, movedTokens, strangerCount }
}

/** A pool of which no factory told, as it describes itself. */
export function planMetPair(address: string, answer: PoolAnswer, profile: ChainProfile): PairPlan {
  const { kind, token0, token1, factory, feePpm, isConfirmed } = answer
  const known = profile.factories.find((item) => item.address === factory)
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
  const token0 = wrap(event.token0, profile)
  const token1 = wrap(event.token1, profile)
  if (event.type === 'launch') {
    const known = profile.launchPlatforms.find(({ address }) => address === event.platform)
    if (!known) return null
    const { platform, amm, address: factory } = known
    const address = event.pool
    const terms = { kind: 'curve', amm, isTrusted: true, feePpm: null, platform } as const
    return { address, token0, token1, factory, ...terms }
  }
  const known = profile.factories.find(({ address }) => address === event.factory)
  if (!known) return null
  const { pool: address, kind, factory, feePpm } = event
  const terms = { kind, amm: known.amm, isTrusted: true, feePpm, platform: null }
  return { address, token0, token1, factory, ...terms }
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
