// One chain of a served market: a real engine, blocks written by the test, and the rows that a
// store would have.

import { evmIds } from '@chaintape/protocol'
import { createEngine, type Engine } from '../../packages/server/src/engine/engine.ts'
import type {
  ChainStatus,
  GatewayChain,
} from '../../packages/server/src/gateway/chain/gatewayChain.ts'
import { RecentBlocks } from '../../packages/server/src/gateway/chain/recentBlocks.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type {
  FinishedBlock,
  FinishedEvent,
  FinishedState,
} from '../../packages/server/src/model/finishedBlock.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import type { MarketEvent } from '../../packages/server/src/model/marketEvent.ts'
import type { PairRecord } from '../../packages/server/src/model/pair.ts'
import type { TokenRecord, TokenSupply } from '../../packages/server/src/model/token.ts'
import type { WalletFacts, WalletReader } from '../../packages/server/src/model/walletFacts.ts'
import { createRiskReader } from '../../packages/server/src/risk/riskReader.ts'
import { liveStatus } from './liveStatus.ts'
import type { MemoryStore } from './memoryStore.ts'
import { pairDefaults } from './pairDefaults.ts'

export const servedStartS = 1_760_000_000

/** A 20-byte address that shows its kind and number. */
export const addressOf = (kind: string, n: number): string =>
  `0x${kind}${n.toString(16).padStart(40 - kind.length, '0')}`

export const wallet = (n: number): string => addressOf('a11', n)
export const zeroAddress = `0x${'0'.repeat(40)}`
export const lockerAddress = addressOf('10c', 1)
export const launchPadAddress = addressOf('1a9', 1)

export function servedProfile(name: string, parts: Partial<ChainProfile> = {}): ChainProfile {
  const [weth, usdc] = [addressOf('70e', 0), addressOf('70e', 1)]
  return {
    name,
    native: { symbol: 'ETH', decimals: 18, wrappedToken: weth },
    stables: [usdc],
    quotes: [usdc, weth],
    venues: [{ address: addressOf('fac', 1), venue: 'uniswapV2', amm: 'uniswapv2' }],
    launchPlatforms: [{ address: launchPadAddress, platform: 'tape', amm: 'tapecurve' }],
    burnAddresses: [zeroAddress],
    lockers: [lockerAddress],
    outOfCirculation: [],
    nativePoolUsdMin: 1_000,
    reorgDepthMax: 64,
    ...parts,
  }
}

/** Contents of the next block; amounts are in whole tokens. */
export type BlockMaker = {
  token(parts?: Partial<TokenRecord>): TokenRecord
  /** A `kind` of curve creates a pair of the launch platform. */
  pool(
    token0: TokenRecord,
    token1: TokenRecord,
    amounts: readonly [number, number],
    parts?: Partial<PairRecord>,
  ): PairRecord
  /** Sells `amount` of `tokenIn` to the pool, by its constant product. */
  trade(pair: PairRecord, tokenIn: TokenRecord, amount: number, trader?: string): void
  launch(token: TokenRecord, curve: PairRecord, creator?: string): void
  fill(curve: PairRecord, filledPpm: number): void
  graduate(token: TokenRecord, curve: PairRecord, pair: PairRecord): void
  supply(token: TokenRecord, whole: Partial<Record<keyof TokenSupply, number>>): void
  /** Adds pairs and events directly. `pool` must not be called after it. */
  add(parts: { pairs?: readonly PairRecord[]; events: readonly FinishedEvent[] }): void
}

export type ServedChain = BlockMaker & {
  engine: Engine
  gatewayChain: GatewayChain
  /** Answers of `wallets.read`. A missing wallet holds nothing and has no code. */
  walletFacts: Map<string, WalletFacts>
  /** Balances by wallet that every token contract returns; 0 for missing wallets. */
  holdings: Map<string, bigint>
  /** Stores balances, in whole tokens. */
  setBalances(token: TokenRecord, balances: Readonly<Record<string, number>>): void
  /**
   * Commits the block, and stores it unless the store is held. A fractional step also gives it a
   * time in milliseconds.
   */
  mine(stepS?: number): MarketEvent[]
  revert(): MarketEvent[]
  /** Reports better records of tokens, as late facts of the newest block. */
  reportLate(tokens: readonly TokenRecord[]): MarketEvent[]
  /** While true, new blocks stay in memory and are not stored. */
  holdStore(isHeld: boolean): void
}

export type ServedChainOptions = {
  name?: string
  storeId?: number
  profile?: Partial<ChainProfile>
  store: MemoryStore
}

type Next = Pick<FinishedBlock, 'tokens' | 'pairs' | 'events' | 'supplies'>
type Building = {
  tokens: TokenRecord[]
  pairs: PairRecord[]
  events: FinishedEvent[]
  supplies: TokenSupply[]
}

const emptyBuilding = (): Building => ({ tokens: [], pairs: [], events: [], supplies: [] })

const rawOf = (token: TokenRecord, amount: number): bigint =>
  (BigInt(Math.round(amount * 1e6)) * 10n ** BigInt(token.decimals)) / 1_000_000n

export function createServedChain(options: ServedChainOptions): ServedChain {
  const { name = 'local', storeId = 1, store } = options
  const profile = servedProfile(name, options.profile)
  const engine = createEngine({ profile })
  const { reorgDepthMax } = profile
  const recent = new RecentBlocks({ seq: 0, number: -1, reorgDepthMax })
  const walletFacts = new Map<string, WalletFacts>()
  const holdings = new Map<string, bigint>()
  let timeMs = servedStartS * 1_000
  let version = 0
  let isHeld = false
  const maker = createBlockMaker(profile, () => Math.floor(timeMs / 1_000))
  const unstored: (() => void)[] = []

  function apply(entry: LogEntry, write: (events: readonly MarketEvent[]) => void): MarketEvent[] {
    version += 1
    const events = engine.apply(entry)
    recent.applied({ seq: version, entry, events })
    unstored.push(() => write(events))
    storeAll()
    return events
  }

  function storeAll(): void {
    if (isHeld) return
    for (const write of unstored.splice(0)) write()
    recent.persisted(version)
  }

  const clock = { nowMs: () => timeMs }
  const gatewayChain: GatewayChain = {
    ids: evmIds,
    profile,
    storeId,
    reads: engine,
    recent,
    version: () => version,
    status: () => statusOf(engine, unstored.length),
    wallets: walletReads(walletFacts, holdings),
    // Reports without a node: they list every check as not done.
    risk: createRiskReader({
      profile,
      checker: null,
      clock,
      logger: createLogger('silent'),
    }),
  }

  return {
    ...maker,
    engine,
    gatewayChain,
    walletFacts,
    holdings,
    setBalances(token, balances) {
      for (const [holder, amount] of Object.entries(balances))
        store.setBalance(storeId, token.id, holder, rawOf(token, amount))
    },
    mine(stepS = 1) {
      const head = engine.head()
      timeMs += stepS * 1_000
      const timeS = Math.floor(timeMs / 1_000)
      const ref = {
        number: (head?.number ?? 0) + 1,
        hash: `0x${(version + 1).toString(16)}`,
        timeS,
        ...(Number.isInteger(stepS) ? {} : { timeMs }),
        parentNumber: head?.number ?? -1,
        parentHash: head?.hash ?? zeroAddress,
      }
      const block = { ref, receivedMs: timeS * 1_000, nativeUsd: null, ...maker.take() }
      return apply({ type: 'commit', block }, (events) => store.add(storeId, ref, events))
    },
    revert() {
      const ref = engine.head()!
      return apply({ type: 'revert', ref }, () => store.dropBlock(storeId, ref.number))
    },
    reportLate(tokens) {
      const { number, hash } = engine.head()!
      const facts = { ref: { number, hash }, tokens, supplies: [] }
      return apply({ type: 'late', facts }, () => undefined)
    },
    holdStore(value) {
      isHeld = value
      storeAll()
    },
  }
}

function statusOf(engine: Engine, queueBlocks: number): ChainStatus {
  const number = engine.head()?.number ?? null
  return liveStatus({
    queueBlocks,
    queueBlocksMax: 1_024,
    tipNumber: number,
    persistedNumber: number,
    startBlock: 1,
    history: { firstNumber: number === null ? null : 1, swapsFromS: null },
  })
}

function walletReads(
  facts: ReadonlyMap<string, WalletFacts>,
  holdings: ReadonlyMap<string, bigint>,
): WalletReader {
  const factsOf = (address: string) => facts.get(address) ?? { nativeRaw: 0n, isContract: false }
  return {
    read: async (addresses) => new Map(addresses.map((each) => [each, factsOf(each)])),
    readHoldings: async () => holdings,
  }
}

function createBlockMaker(
  profile: ChainProfile,
  timeS: () => number,
): BlockMaker & { take(): Next } {
  let tokenCount = 0
  let eventCount = 0
  let blockEvents = 0
  const pools = createPools()
  let next = emptyBuilding()
  const nextIndex = () => {
    blockEvents += 1
    return blockEvents - 1
  }
  const origin = (trader: string) => {
    eventCount += 1
    const txHash = `0x${eventCount.toString(16).padStart(64, '0')}`
    return { index: nextIndex(), txHash, wallet: trader }
  }

  return {
    take() {
      const taken = next
      next = emptyBuilding()
      blockEvents = 0
      return taken
    },
    token(parts = {}) {
      const id = tokenCount
      tokenCount += 1
      const record = tokenOf(id, timeS(), parts)
      next.tokens.push(record)
      return record
    },
    pool(token0, token1, [amount0, amount1], parts = {}) {
      const pool = { reserve0: rawOf(token0, amount0), reserve1: rawOf(token1, amount1) }
      const id = pools.add(pool)
      const record = pairOf(
        profile,
        { id, token0Id: token0.id, token1Id: token1.id },
        timeS(),
        parts,
      )
      next.pairs.push(record)
      next.events.push({
        type: 'liquidity',
        kind: 'create',
        pairId: id,
        sender: wallet(0),
        amount0: pool.reserve0,
        amount1: pool.reserve1,
        ...pools.stateOf(id),
        ...origin(wallet(0)),
      })
      // The event that creates a pool leaves its reserves to the state event that follows.
      const { index } = next.events.at(-1)!
      next.events.push({ type: 'sync', index, pairId: id, ...pools.stateOf(id) })
      return record
    },
    trade(pair, tokenIn, amount, trader = wallet(1)) {
      const amounts = pools.swap(pair.id, pair.token0Id === tokenIn.id, rawOf(tokenIn, amount))
      next.events.push({
        type: 'swap',
        pairId: pair.id,
        sender: trader,
        to: trader,
        ...amounts,
        holding0: null,
        holding1: null,
        native: null,
        accountFlags: 0,
        ...origin(trader),
        ...pools.stateOf(pair.id),
      })
    },
    add({ pairs = [], events }) {
      next.pairs.push(...pairs)
      for (const event of events) next.events.push({ ...event, index: nextIndex() })
    },
    launch(token, curve, creator = wallet(7)) {
      const launch = { type: 'launch', pairId: curve.id, tokenId: token.id, creator } as const
      next.events.push({ ...launch, ...origin(creator) })
    },
    fill(curve, filledPpm) {
      next.events.push({ type: 'curve', index: nextIndex(), pairId: curve.id, filledPpm })
    },
    graduate(token, curve, pair) {
      const ids = { tokenId: token.id, curvePairId: curve.id, pairId: pair.id }
      next.events.push({ type: 'graduation', ...ids, ...origin(wallet(0)) })
    },
    supply(token, { total = 0, burnt = 0, locked = 0, other = 0, holders = 0 }) {
      next.supplies.push({
        tokenId: token.id,
        total: rawOf(token, total),
        burnt: rawOf(token, burnt),
        locked: rawOf(token, locked),
        other: rawOf(token, other),
        holders,
        isComplete: true,
      })
    },
  }
}

function pairOf(
  profile: ChainProfile,
  ids: Pick<PairRecord, 'id' | 'token0Id' | 'token1Id'>,
  timeS: number,
  parts: Partial<PairRecord>,
): PairRecord {
  const isCurve = parts.kind === 'curve'
  return {
    ...ids,
    address: addressOf('9a1', ids.id),
    kind: 'constantProduct',
    factory: profile.venues[0]!.address,
    amm: isCurve ? 'tapecurve' : 'uniswapv2',
    isTrusted: true,
    feePpm: 3_000,
    createdAtS: timeS + 1,
    platform: isCurve ? 'tape' : null,
    ...pairDefaults,
    ...parts,
  }
}

/**
 * Member by member, as the log's codec creates records. Object spreads would give each record its
 * own hidden class: half of the heap of a large market, and slow reads.
 */
function tokenOf(id: number, timeS: number, parts: Partial<TokenRecord>): TokenRecord {
  return {
    id: parts.id ?? id,
    address: parts.address ?? addressOf('70e', id),
    symbol: parts.symbol ?? `T${id}`,
    name: parts.name ?? `Token ${id}`,
    decimals: parts.decimals ?? 18,
    isUnreadable: parts.isUnreadable ?? false,
    seenAtS: parts.seenAtS ?? timeS,
  }
}

/** Reserves of constant-product pools, by pair id. */
function createPools() {
  const pools: { reserve0: bigint; reserve1: bigint }[] = []
  return {
    add: (pool: { reserve0: bigint; reserve1: bigint }): number => pools.push({ ...pool }) - 1,
    stateOf(pairId: number): FinishedState {
      const { reserve0, reserve1 } = pools[pairId]!
      return { reserve0, reserve1, priceRaw: Number(reserve1) / Number(reserve0) }
    },
    swap(pairId: number, isIn0: boolean, amountIn: bigint) {
      const pool = pools[pairId]!
      const { reserve0, reserve1 } = pool
      const [reserveIn, reserveOut] = isIn0 ? [reserve0, reserve1] : [reserve1, reserve0]
      const amountOut = (reserveOut * amountIn) / (reserveIn + amountIn)
      const [amount0, amount1] = isIn0 ? [amountIn, -amountOut] : [-amountOut, amountIn]
      pool.reserve0 += amount0
      pool.reserve1 += amount1
      return { amount0, amount1 }
    },
  }
}
