// Ledgers with a store each, random blocks of transfers, and invariants.
import fc from 'fast-check'
import { pino } from 'pino'
import { expect } from 'vitest'
import type { BalanceKey, BalanceReader } from '../../packages/server/src/ledger/balanceLoader.ts'
import {
  createLedger,
  type Ledger,
  type LedgerResult,
} from '../../packages/server/src/ledger/ledger.ts'
import {
  decodeUndo,
  decodeUnreportedAfter,
  encodeUndo,
  type LedgerUndo,
} from '../../packages/server/src/ledger/undo.ts'
import type { BlockRef } from '../../packages/server/src/model/block.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type { BalanceChange } from '../../packages/server/src/model/finishedBlock.ts'
import type { PairRecord } from '../../packages/server/src/model/pair.ts'
import type { ResolvedBlock, ResolvedEvent } from '../../packages/server/src/model/resolvedBlock.ts'
import type { TokenSupply } from '../../packages/server/src/model/token.ts'
import { pairDefaults } from './pairDefaults.ts'

const logger = pino({ level: 'silent' })
export const zero = '0x00'
export const wallets = [zero, '0xdead', '0xlock', '0xa', '0xb', '0xc', '0xpool']

const profile: ChainProfile = {
  name: 'fuzz',
  native: { symbol: 'ETH', decimals: 18, wrappedToken: '0xweth' },
  stables: [],
  quotes: [],
  venues: [],
  launchPlatforms: [],
  burnAddresses: [zero, '0xdead'],
  lockers: ['0xlock'],
  outOfCirculation: [],
  nativePoolUsdMin: 0,
  reorgDepthMax: 100,
}

const pair: PairRecord = {
  id: 0,
  address: '0xpool',
  kind: 'concentrated',
  token0Id: 0,
  token1Id: 1,
  factory: '0xf',
  amm: 'uniswapv3',
  isTrusted: true,
  feePpm: 500,
  createdAtS: 1,
  platform: null,
  ...pairDefaults,
}

export type Step =
  | { type: 'apply'; moves: { token: number; from: number; to: number; amount: number }[] }
  | { type: 'revert' }
  | { type: 'persist' }
  | { type: 'restart' }

export const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('apply' as const),
      moves: fc.array(
        fc.record({
          token: fc.nat(2),
          from: fc.nat(wallets.length - 1),
          to: fc.nat(wallets.length - 1),
          amount: fc.nat(50),
        }),
        { maxLength: 8 },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ type: 'revert' as const }) },
  { weight: 2, arbitrary: fc.constant({ type: 'persist' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'restart' as const }) },
)

/** Keeps rows as the store does: applies `after`, reverts to `before`. */
export function createLedgerRows() {
  const balances = new Map<string, bigint>()
  const supplies = new Map<number, TokenSupply>()
  return {
    balances,
    supplies,
    write(changes: readonly BalanceChange[], side: 'before' | 'after') {
      for (const change of changes) balances.set(`${change.tokenId} ${change.wallet}`, change[side])
    },
    /** Writes supplies and returns the previous rows. */
    writeSupplies({ supplies: changed }: LedgerUndo) {
      const before = new Map<number, TokenSupply | undefined>()
      for (const { after } of changed) {
        before.set(after.tokenId, supplies.get(after.tokenId))
        supplies.set(after.tokenId, after)
      }
      return before
    },
    restoreSupplies(before: ReadonlyMap<number, TokenSupply | undefined>) {
      for (const [tokenId, supply] of before)
        if (supply) supplies.set(tokenId, supply)
        else supplies.delete(tokenId)
    },
    reader: {
      isDown: false as boolean,
      async loadBalances(keys: readonly BalanceKey[]) {
        if (this.isDown) throw new Error('down')
        return keys.map(({ tokenId, wallet }) => balances.get(`${tokenId} ${wallet}`) ?? 0n)
      },
      async loadSupplies(tokenIds: readonly number[]) {
        if (this.isDown) throw new Error('down')
        return tokenIds.flatMap((id) => supplies.get(id) ?? [])
      },
    } satisfies BalanceReader & { isDown: boolean },
  }
}

export type LedgerRows = ReturnType<typeof createLedgerRows>
type Applied = {
  block: ResolvedBlock
  ref: BlockRef
  result: LedgerResult
  /** Whether the block was applied before the last restart. */
  isFromEarlierProcess: boolean
  /** Stored supplies before the block. */
  suppliesBefore: Map<number, TokenSupply | undefined>
}

/** One ledger with its store. Writes are queued until `persist`. */
export class LedgerRun {
  readonly rows: LedgerRows = createLedgerRows()
  readonly forgetsOnRestart: boolean
  readonly #balancesMax: number
  ledger: Ledger
  chain: Applied[] = []
  /** Queued writes, in order. */
  queue: (() => void)[] = []

  constructor(balancesMax: number, isForgetful: boolean) {
    this.#balancesMax = balancesMax
    this.forgetsOnRestart = isForgetful
    this.ledger = this.#open()
  }

  #open(): Ledger {
    const limits = { balancesMax: this.#balancesMax, suppliesMax: this.#balancesMax }
    return createLedger({ profile, balances: this.rows.reader, limits, logger })
  }

  async apply(block: ResolvedBlock): Promise<LedgerResult> {
    const result = await this.ledger.apply(block)
    const applied: Applied = {
      block,
      ref: block.ref,
      result,
      isFromEarlierProcess: false,
      suppliesBefore: new Map(),
    }
    this.chain.push(applied)
    this.queue.push(() => {
      this.rows.write(result.changes, 'after')
      applied.suppliesBefore = this.rows.writeSupplies(result.undo)
    })
    return result
  }

  revert(): void {
    const { ref, result } = this.chain.at(-1)!
    this.ledger.revert(ref, decodeUndo(encodeUndo(result.undo)))
    this.#popHead()
  }

  persist(): void {
    for (const write of this.queue) write()
    this.queue = []
    const head = this.chain.at(-1)
    if (head) this.ledger.persisted(head.ref.number)
  }

  restart(): void {
    if (!this.forgetsOnRestart) return
    this.persist()
    this.ledger = this.#open()
    for (const applied of this.chain) applied.isFromEarlierProcess = true
  }

  /**
   * Like a chain's thread: if the last process had unreported balances at its newest block, reverts
   * the blocks concerned and applies them again.
   */
  async reapplyUnreported(): Promise<void> {
    const head = this.chain.at(-1)
    const after = head?.isFromEarlierProcess
      ? decodeUnreportedAfter(encodeUndo(head.result.undo))
      : null
    if (after === null) return
    const again: ResolvedBlock[] = []
    while (this.chain.length > 0 && this.chain.at(-1)!.ref.hash !== after.hash) {
      again.unshift(this.chain.at(-1)!.block)
      this.#popHead()
    }
    this.restart()
    for (const block of again) await this.apply(block)
  }

  #popHead(): void {
    const applied = this.chain.pop()!
    this.queue.push(() => {
      this.rows.write(applied.result.changes, 'before')
      this.rows.restoreSupplies(applied.suppliesBefore)
    })
  }
}

export function eventsOf(moves: Extract<Step, { type: 'apply' }>['moves']): ResolvedEvent[] {
  const events: ResolvedEvent[] = moves.map(({ token, from, to, amount }, index) => ({
    type: 'transfer',
    txHash: 't',
    index,
    tokenId: token,
    from: wallets[from]!,
    to: wallets[to]!,
    amount: BigInt(amount),
  }))
  const place = { index: moves.length, txHash: 't', wallet: '0xa', sender: '0xa', to: '0xa' }
  const state = { amount0: 1n, amount1: -1n, reserve0: null, reserve1: null, priceRaw: 1, pair }
  const shift = { type: 'reserve_change', index: moves.length + 1, pair } as const
  return [...events, { type: 'swap', ...place, ...state }, shift]
}

export function blockOf(number: number, salt: number, parent: string, events: ResolvedEvent[]) {
  const isFirst = number === 1
  const tokens = [0, 1, 2].map((id) => {
    const text = { address: `0xt${id}`, symbol: 'T', name: 'T' }
    return { id, ...text, decimals: 0, isUnreadable: false, seenAtS: 1 }
  })
  const opening = { balances: new Map([['0xa', 40n]]), voided: 0n, totalSupply: null }
  return {
    ref: {
      number,
      hash: `${number}-${salt}`,
      parentNumber: number - 1,
      parentHash: parent,
      timeS: number,
    },
    receivedMs: 0,
    isLive: false,
    tokens: isFirst ? tokens : [],
    pairs: isFirst ? [pair] : [],
    events,
    firstStates: [],
    unknownPools: new Set(),
    // Token 2 starts incomplete.
    histories: isFirst ? [0, 1].map((tokenId) => ({ tokenId, ...opening })) : [],
    totals: new Map(),
    natives: new Map(),
    nativeUsd: null,
  } satisfies ResolvedBlock
}

export function checkSums({ chain }: LedgerRun): void {
  const rows = createLedgerRows()
  for (const { result } of chain) {
    for (const { tokenId, wallet, before } of result.changes)
      expect(rows.balances.get(`${tokenId} ${wallet}`) ?? 0n).toBe(before)
    rows.write(result.changes, 'after')
    rows.writeSupplies(result.undo)
  }
  for (const [tokenId, supply] of rows.supplies) {
    const held = wallets.map((wallet) => rows.balances.get(`${tokenId} ${wallet}`) ?? 0n)
    expect(held.every((amount) => amount >= 0n)).toBe(true)
    expect(supply.holders).toBe(held.filter((amount) => amount > 0n).length)
    expect(supply.burnt).toBe(rows.balances.get(`${tokenId} 0xdead`) ?? 0n)
    expect(supply.locked).toBe(rows.balances.get(`${tokenId} 0xlock`) ?? 0n)
    if (supply.isComplete) expect(supply.total).toBe(held.reduce((sum, amount) => sum + amount, 0n))
  }
}
