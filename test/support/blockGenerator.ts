// Random but valid finished blocks from a seed, for property tests and benches.

import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type { FinishedBlock, FinishedEvent } from '../../packages/server/src/model/finishedBlock.ts'
import type { LateFacts } from '../../packages/server/src/model/logEntry.ts'
import type { PairRecord } from '../../packages/server/src/model/pair.ts'
import {
  hasPlaceholderMetadata,
  type TokenRecord,
  type TokenSupply,
} from '../../packages/server/src/model/token.ts'
import { pairDefaults } from './pairDefaults.ts'
import { createRandom } from './random.ts'

export const generatorProfile: ChainProfile = {
  name: 'local',
  native: { symbol: 'ETH', decimals: 18, wrappedToken: 'token-0' },
  stables: ['token-1', 'token-2'],
  quotes: ['token-1', 'token-2', 'token-0', 'token-3'],
  venues: [],
  launchPlatforms: [],
  burnAddresses: ['zero'],
  lockers: [],
  outOfCirculation: [],
  nativePoolUsdMin: 1_000,
  reorgDepthMax: 64,
}

export type GeneratorOptions = {
  seed: number
  /** Maximum number of swaps, liquidity changes and syncs in a block. */
  eventsMax?: number
  wallets?: number
  /** Maximum seconds between blocks. Rarely an hour or a day passes. */
  stepSMax?: number
  startS?: number
  /** Share of tokens that arrive without name and decimals; late facts may add them. @default 0 */
  standInShare?: number
  /** Maximum step of the block number. @default 1 */
  numberStepMax?: number
  /** Pools in the first block, besides those of the quote assets. @default 0 */
  firstPools?: number
}

type Pool = { record: PairRecord; reserve0: bigint; reserve1: bigint }
type World = {
  /** `tokens`: as blocks report them. `truths`: their complete records. */
  tokens: TokenRecord[]
  truths: TokenRecord[]
  pools: Pool[]
  launched: { tokenId: number; pairId: number; isOut: boolean }[]
}

const copyWorld = (from: World): World => ({
  tokens: [...from.tokens],
  truths: [...from.truths],
  pools: from.pools.map((pool) => ({ ...pool })),
  launched: from.launched.map((launch) => ({ ...launch })),
})

const stateOf = ({ reserve0, reserve1 }: Pool) => ({
  reserve0,
  reserve1,
  priceRaw: Number(reserve1) / Number(reserve0),
})

export class BlockGenerator {
  private readonly options: Required<GeneratorOptions>
  private readonly random: () => number
  private world: World = { tokens: [], truths: [], pools: [], launched: [] }
  private head: BlockRef | null = null
  private made = 0
  // State before each block, so that a revert also rewinds the generator.
  private readonly before: { world: World; head: BlockRef | null }[] = []
  // Blocks of the canonical chain and of reverted branches, each with the state after it.
  private readonly blocks: FinishedBlock[] = []
  private readonly undone: { block: FinishedBlock; world: World }[] = []

  constructor(options: GeneratorOptions) {
    this.options = {
      eventsMax: 12,
      wallets: 12,
      stepSMax: 15,
      startS: 1_700_000_000,
      standInShare: 0,
      numberStepMax: 1,
      firstPools: 0,
      ...options,
    }
    this.random = createRandom(options.seed)
  }

  upTo(max: number): number {
    return Math.floor(this.random() * (max + 1))
  }

  pick<item>(items: readonly item[]): item {
    return items[this.upTo(items.length - 1)]!
  }

  private addToken(timeS: number): TokenRecord {
    const id = this.world.tokens.length
    const decimals = id === 0 ? 18 : id < 3 ? 6 : this.pick([0, 6, 9, 18])
    const symbol =
      id === 0 ? 'WETH' : id < 3 ? `USD${id}` : this.pick(['PEPE', 'DOGE', 'Inu', `T${id}`])
    const truth: TokenRecord = {
      id,
      address: `token-${id}`,
      symbol,
      name: `${symbol} ${this.pick(['Coin', 'Token', 'Protocol'])}`,
      decimals,
      isUnreadable: false,
      seenAtS: timeS,
    }
    const { standInShare } = this.options
    const isLate = standInShare > 0 && this.random() < standInShare
    const token = isLate ? { ...truth, symbol: '', name: '', decimals: 18 } : truth
    this.world.tokens.push(token)
    this.world.truths.push(truth)
    return token
  }

  private addPool(timeS: number, token0Id: number, token1Id: number, kind: PairRecord['kind']) {
    const id = this.world.pools.length
    const record: PairRecord = {
      id,
      address: `pair-${id}-${this.made}`,
      kind,
      token0Id,
      token1Id,
      factory: 'factory',
      amm: 'uniswapv2',
      isTrusted: kind === 'curve' || id < 3 || this.random() < 0.85,
      feePpm: 3_000,
      createdAtS: timeS,
      platform: kind === 'curve' ? 'launchpad' : null,
      ...pairDefaults,
    }
    const unit = (tokenId: number) => 10n ** BigInt(this.world.truths[tokenId]!.decimals)
    const pool = {
      record,
      reserve0: unit(token0Id) * BigInt(10_000 + this.upTo(1_000_000)),
      reserve1: unit(token1Id) * BigInt(10_000 + this.upTo(1_000_000)),
    }
    this.world.pools.push(pool)
    return pool
  }

  private origin(index: number) {
    const wallet = `wallet-${this.upTo(this.options.wallets - 1)}`
    return { index, txHash: `tx-${this.made}-${index}`, wallet }
  }

  private swapEvent(pool: Pool, index: number): FinishedEvent {
    const isIn0 = this.random() < 0.5
    const share = BigInt(1 + this.upTo(500))
    const reserveIn = isIn0 ? pool.reserve0 : pool.reserve1
    const reserveOut = isIn0 ? pool.reserve1 : pool.reserve0
    const amountIn = (reserveIn * share) / 10_000n + 1n
    const amountOut = (reserveOut * amountIn) / (reserveIn + amountIn)
    pool.reserve0 += isIn0 ? amountIn : -amountOut
    pool.reserve1 += isIn0 ? -amountOut : amountIn
    const from = this.origin(index)
    return {
      ...from,
      ...stateOf(pool),
      type: 'swap',
      pairId: pool.record.id,
      sender: 'router',
      to: from.wallet,
      amount0: isIn0 ? amountIn : -amountOut,
      amount1: isIn0 ? -amountOut : amountIn,
      holding0: null,
      holding1: null,
      native: null,
      accountFlags: 0,
    }
  }

  private liquidityEvent(pool: Pool, index: number, kind: 'add' | 'remove' | 'create') {
    const share = BigInt(1 + this.upTo(kind === 'remove' ? 4_000 : 6_000))
    const amount0 = kind === 'create' ? pool.reserve0 : (pool.reserve0 * share) / 10_000n
    const amount1 = kind === 'create' ? pool.reserve1 : (pool.reserve1 * share) / 10_000n
    const sign = kind === 'add' ? 1n : kind === 'remove' ? -1n : 0n
    pool.reserve0 += sign * amount0
    pool.reserve1 += sign * amount1
    const event: FinishedEvent = {
      ...this.origin(index),
      ...stateOf(pool),
      type: 'liquidity',
      kind,
      pairId: pool.record.id,
      sender: 'router',
      amount0,
      amount1,
    }
    return event
  }

  private launchEvents(index: number, timeS: number, pairs: PairRecord[]): FinishedEvent[] {
    const open = this.world.launched.filter((launch) => !launch.isOut)
    const roll = this.random()
    if (roll < 0.4 || open.length === 0) {
      const token = this.addToken(timeS)
      const pool = this.addPool(timeS, token.id, 0, 'curve')
      pairs.push(pool.record)
      this.world.launched.push({ tokenId: token.id, pairId: pool.record.id, isOut: false })
      const launch = { type: 'launch', tokenId: token.id, creator: 'creator' } as const
      return [
        { ...this.origin(index), ...launch, pairId: pool.record.id },
        this.liquidityEvent(pool, index + 1, 'create'),
      ]
    }
    const launch = this.pick(open)
    if (roll < 0.85)
      return [{ type: 'curve', index, pairId: launch.pairId, filledPpm: this.upTo(1_000_000) }]
    launch.isOut = true
    const pool = this.addPool(timeS, launch.tokenId, 0, 'constantProduct')
    pairs.push(pool.record)
    const { tokenId } = launch
    const ids = { tokenId, curvePairId: launch.pairId, pairId: pool.record.id }
    return [
      this.liquidityEvent(pool, index, 'create'),
      { ...this.origin(index + 1), type: 'graduation', ...ids },
    ]
  }

  private newPools(timeS: number, events: FinishedEvent[], pairs: PairRecord[]): void {
    const seedPools = this.world.pools.length === 0
    const wanted: (readonly [number, number])[] = seedPools
      ? [
          [0, 1],
          [2, 0],
          [3, 0],
          ...Array.from(
            { length: this.options.firstPools },
            () => [this.addToken(timeS).id, 0] as const,
          ),
        ]
      : []
    if (!seedPools && this.random() < 0.3) {
      const token = this.random() < 0.7 ? this.addToken(timeS).id : this.pick(this.world.tokens).id
      const other = this.random() < 0.15 ? this.pick(this.world.tokens).id : this.upTo(3)
      if (token !== other) wanted.push(this.random() < 0.5 ? [token, other] : [other, token])
    }
    for (const [token0Id, token1Id] of wanted) {
      const pool = this.addPool(timeS, token0Id, token1Id, 'constantProduct')
      pairs.push(pool.record)
      events.push(this.liquidityEvent(pool, events.length, 'create'))
    }
  }

  private supplies(): TokenSupply[] {
    if (this.random() < 0.6) return []
    return [this.supplyOf(this.pick(this.world.tokens).id)]
  }

  private supplyOf(tokenId: number): TokenSupply {
    const total = 10n ** 24n + BigInt(this.upTo(1_000_000))
    return {
      tokenId,
      total,
      burnt: total / 10n,
      locked: total / 20n,
      other: total / 40n,
      holders: this.upTo(10_000),
      isComplete: this.random() < 0.5,
    }
  }

  private tradeEvents(events: FinishedEvent[]): void {
    for (let left = this.upTo(this.options.eventsMax); left > 0; left -= 1) {
      const pool = this.pick(this.world.pools)
      const roll = this.random()
      if (roll < 0.8) events.push(this.swapEvent(pool, events.length))
      else if (roll < 0.95)
        events.push(this.liquidityEvent(pool, events.length, roll < 0.88 ? 'add' : 'remove'))
      else
        events.push({
          ...stateOf(pool),
          type: 'sync',
          index: events.length,
          pairId: pool.record.id,
        })
    }
  }

  /** Generates the next block on top of the head. */
  next(): FinishedBlock {
    this.undone.length = 0
    this.before.push({ world: copyWorld(this.world), head: this.head })
    this.made += 1
    const roll = this.random()
    const jumpS = roll < 0.02 ? 86_400 : roll < 0.06 ? 3_600 : 0
    const timeS =
      (this.head?.timeS ?? this.options.startS) + this.upTo(this.options.stepSMax) + jumpS
    const tokenCount = this.world.tokens.length
    if (tokenCount === 0) for (let id = 0; id < 4; id += 1) this.addToken(timeS)
    const events: FinishedEvent[] = []
    const pairs: PairRecord[] = []
    this.newPools(timeS, events, pairs)
    if (this.random() < 0.25) events.push(...this.launchEvents(events.length, timeS, pairs))
    this.tradeEvents(events)
    const parentHash: string = this.head?.hash ?? 'genesis'
    const parentNumber: number = this.head?.number ?? -1
    // The step does not draw a random number, so the market is the same for any `numberStepMax`.
    const step = 1 + (((this.made - 1) * 5) % this.options.numberStepMax)
    const number: number = (this.head?.number ?? 0) + step
    this.head = { number, hash: `hash-${number}-${this.made}`, parentNumber, parentHash, timeS }
    const block: FinishedBlock = {
      ref: this.head,
      receivedMs: timeS * 1_000,
      tokens: this.world.tokens.slice(tokenCount),
      pairs,
      events,
      supplies: this.supplies(),
      nativeUsd:
        this.random() < 0.05
          ? { usd: 2_000 + this.upTo(500), atS: timeS - 50 + this.upTo(100) }
          : null,
    }
    this.blocks.push(block)
    return block
  }

  /**
   * Generates the last reverted block again, with another hash. Null without one, or when another
   * block followed.
   */
  again(): FinishedBlock | null {
    const last = this.undone.pop()
    if (last === undefined) return null
    this.before.push({ world: this.world, head: this.head })
    this.made += 1
    this.world = last.world
    const { number } = last.block.ref
    const parent = {
      parentNumber: this.head?.number ?? -1,
      parentHash: this.head?.hash ?? 'genesis',
    }
    this.head = { ...last.block.ref, hash: `hash-${number}-${this.made}`, ...parent }
    const block = { ...last.block, ref: this.head }
    this.blocks.push(block)
    return block
  }

  /** Late facts of one of the newest `depthMax + 1` blocks; null before the first block. */
  late(depthMax = 2): LateFacts | null {
    const depth = Math.min(this.upTo(depthMax), this.before.length - 1)
    const ref = depth <= 0 ? this.head : this.before.at(-depth)!.head
    const { tokens, truths } = depth <= 0 ? this.world : this.before.at(-depth)!.world
    if (ref === null || tokens.length === 0) return null
    const standIns = tokens.filter(hasPlaceholderMetadata)
    const { id } = this.pick(standIns.length > 0 && this.random() < 0.7 ? standIns : tokens)
    const record = { ...truths[id]!, name: `Better ${this.upTo(99)}` }
    return {
      ref: { number: ref.number, hash: ref.hash },
      tokens: hasPlaceholderMetadata(tokens[id]!) || this.random() < 0.5 ? [record] : [],
      supplies: [this.supplyOf(id)],
    }
  }

  /** Reverts the newest block and returns its reference. */
  revert(): BlockRef {
    const ref = this.head!
    const last = this.before.pop()!
    this.undone.push({ block: this.blocks.pop()!, world: this.world })
    this.world = last.world
    this.head = last.head
    return ref
  }
}
