import { decodeBase58, encodeBase58 } from '../../../packages/server/src/lib/bytes/base58.ts'
import { newPool, type OpenedPool, type Pool, type PoolKind, type Swap } from '../market.ts'
import { rational } from '../rational.ts'
import type { RawTransaction } from './rawBlock.ts'
import type { SolanaBalances } from './solanaBalances.ts'
import {
  type CurveStep,
  checkCpmm,
  checkCurve,
  checkPumpSwap,
  checkWhirlpool,
  type PumpSwapStep,
} from './swapMaths.ts'
import { loggedWith, type Step, type Transfer, transfersIn } from './transactionSteps.ts'

const programs = {
  raydiumCpmm: 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C',
  orcaWhirlpool: 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc',
  pumpSwap: 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA',
  pumpFun: '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P',
} as const

const two128 = 1n << 128n
const keyBytes = 32

type Vaults = readonly [string, string]
type Handler = (step: Step, events: Events) => Swap | Swap[] | undefined
/** Positions of a curve trade's accounts. */
type CurvePlaces = { mint: number; curve: number; vault: number }

const oldCurve: CurvePlaces = { mint: 2, curve: 3, vault: 4 }
const newCurve: CurvePlaces = { mint: 1, curve: 5, vault: 6 }

/** The events of one transaction, each returned once. */
class Events {
  readonly #raw: RawTransaction
  readonly #given = new Map<string, number>()

  constructor(raw: RawTransaction) {
    this.#raw = raw
  }

  /** The next event with this discriminator and this key at an offset. */
  next(tag: string, keyAt: number, key: string): Buffer | null {
    const name = `${tag} ${key}`
    const nth = this.#given.get(name) ?? 0
    this.#given.set(name, nth + 1)
    const own = loggedWith(this.#raw, tag).filter((event) => keyIn(event, keyAt) === key)
    return own[nth] ?? null
  }
}

const keyIn = (bytes: Buffer, at: number) => encodeBase58(bytes.subarray(at, at + keyBytes))
const u64 = (bytes: Buffer, at: number) => bytes.readBigUInt64LE(at)
const u128 = (bytes: Buffer, at: number) => (u64(bytes, at + 8) << 64n) | u64(bytes, at)

function sumOf(moves: readonly Transfer[], end: 'from' | 'to', account: string, payee?: string) {
  const own = moves.filter((move) => move[end] === account && (!payee || move.to === payee))
  return own.reduce((sum, { amount }) => sum + amount, 0n)
}

/**
 * All pools of the four programs. Takes finished instructions in order and returns the swaps among
 * them.
 */
export class SolanaPools {
  readonly #pools = new Map<string, Pool>()
  readonly #vaults = new Map<string, Vaults>()
  readonly #balances: SolanaBalances
  readonly #native: string
  readonly #handlers: ReadonlyMap<string, Handler>
  #events: Events | null = null
  #number = 0
  /** Mints that were launched in the blocks. */
  readonly launched = new Set<string>()
  /** Minted amount of each mint. */
  readonly minted = new Map<string, bigint>()
  /** Swaps that violate their program's formula, as sentences. */
  readonly differences: string[] = []

  constructor(balances: SolanaBalances, native: string) {
    this.#balances = balances
    this.#native = native
    const { raydiumCpmm, orcaWhirlpool, pumpSwap, pumpFun } = programs
    this.#handlers = new Map<string, Handler>([
      [`${raydiumCpmm} 8fbe5adac41e33de`, (step, events) => this.#cpmmSwap(step, events)],
      [`${raydiumCpmm} afaf6d1f0d989bed`, (step) => this.#opened(step, 'v2', [3, 4, 5, 10, 11])],
      [`${orcaWhirlpool} 2b04ed0b1ac91e62`, (step, events) => this.#whirlpoolSwap(step, events)],
      [`${orcaWhirlpool} cf2d57f21b3fcc43`, (step) => this.#opened(step, 'v3', [6, 1, 2, 7, 8])],
      [`${pumpSwap} 66063d1201daebea`, (step, events) => this.#pumpSwap(step, events, true)],
      [`${pumpSwap} 33e685a4017f83ad`, (step, events) => this.#pumpSwap(step, events, false)],
      [`${pumpSwap} b817ee6167c5d33d`, (step, events) => this.#pumpSwap(step, events, true, true)],
      [`${pumpSwap} 5df6823ce7e940b2`, (step, events) => this.#pumpSwap(step, events, false, true)],
      [`${pumpSwap} e992d18ecf6840bc`, (step) => this.#opened(step, 'v2', [0, 3, 4, 9, 10])],
      [`${pumpFun} 66063d1201daebea`, (step, events) => this.#curveTrade(step, events, oldCurve)],
      [`${pumpFun} 33e685a4017f83ad`, (step, events) => this.#curveTrade(step, events, oldCurve)],
      [`${pumpFun} 07051dc4f5176550`, (step, events) => this.#curveTrade(step, events, newCurve)],
      [`${pumpFun} 1c92de7726c469d5`, (step, events) => this.#curveTrade(step, events, newCurve)],
      [`${pumpFun} 181ec828051c0777`, (step) => this.#launched(step)],
      [`${pumpFun} d6904cec5f8b31b4`, (step) => this.#launched(step)],
    ])
  }

  begin(raw: RawTransaction, number: number): void {
    this.#events = new Events(raw)
    this.#number = number
  }

  take(step: Step): Swap[] {
    const handler = this.#handlers.get(`${step.program} ${step.data.toString('hex', 0, 8)}`)
    const swaps = handler?.(step, this.#events!)
    return swaps === undefined ? [] : [swaps].flat()
  }

  /** Updates reserves from vault balances at the end of a block. */
  updateReserves(): void {
    for (const [address, [vault0, vault1]] of this.#vaults) {
      const pool = this.#pools.get(address)!
      if (pool.factory === programs.raydiumCpmm && pool.price !== null) continue
      pool.reserve0 = this.#balances.amountIn(vault0) ?? pool.reserve0
      pool.reserve1 = this.#balances.amountIn(vault1) ?? pool.reserve1
      if (pool.kind === 'v2' && pool.price === null && pool.reserve0 > 0n)
        pool.price = rational(pool.reserve1, pool.reserve0)
    }
  }

  all(): Pool[] {
    return [...this.#pools.values()]
  }

  #poolOf(opened: OpenedPool, vaults?: Vaults): Pool {
    const known = this.#pools.get(opened.address)
    if (known !== undefined) return known
    const pool = newPool(opened, this.#number)
    this.#pools.set(pool.address, pool)
    if (vaults !== undefined) this.#vaults.set(pool.address, vaults)
    return pool
  }

  /** `at`: positions of the pool, its mints and its vaults among the accounts. */
  #opened(step: Step, kind: PoolKind, at: readonly [number, number, number, number, number]) {
    const [address, token0, token1, vault0, vault1] = at.map((nth) => step.accounts[nth]!) as [
      ...[string, string, string, string, string],
    ]
    const pool = this.#poolOf({ address, kind, token0, token1, factory: step.program }, [
      vault0,
      vault1,
    ])
    if (kind !== 'v3') return undefined
    const root = u128(step.data, 10)
    pool.price = rational(root * root, two128)
    return undefined
  }

  #launched({ accounts, program }: Step): undefined {
    const [token0, address] = [accounts[0]!, accounts[2]!]
    this.#poolOf({ address, kind: 'curve', token0, token1: this.#native, factory: program })
    this.launched.add(token0)
  }

  #cpmmSwap(step: Step, events: Events): Swap | undefined {
    const { accounts, program } = step
    const [address, payee, vaultIn, vaultOut] = [3, 5, 6, 7].map((nth) => accounts[nth]!) as [
      ...[string, string, string, string],
    ]
    const [mintIn, mintOut] = [accounts[10]!, accounts[11]!]
    // The pool's first token is the one with the lower key.
    const isIn0 = Buffer.compare(decodeBase58(mintIn)!, decodeBase58(mintOut)!) < 0
    const [token0, token1] = isIn0 ? [mintIn, mintOut] : [mintOut, mintIn]
    const vaults: Vaults = isIn0 ? [vaultIn, vaultOut] : [vaultOut, vaultIn]
    const pool = this.#poolOf({ address, kind: 'v2', token0, token1, factory: program }, vaults)
    const moves = transfersIn(step)
    const [into, out] = [sumOf(moves, 'to', vaultIn), sumOf(moves, 'from', vaultOut, payee)]
    const event = events.next('40c6cde8260871e2', 8, address)
    if (event === null) return this.#missingEvent(address)
    const before = { in: u64(event, 40), out: u64(event, 48) }
    this.differences.push(...checkCpmm(address, { into, out, before, fee: u64(event, 153) }))
    const [after, left] = [before.in + into, before.out - out]
    pool.reserve0 = isIn0 ? after : left
    pool.reserve1 = isIn0 ? left : after
    pool.price = rational(pool.reserve1, pool.reserve0)
    return swapOf(pool, isIn0, into, out)
  }

  #whirlpoolSwap(step: Step, events: Events): Swap | undefined {
    const { accounts, data, program } = step
    const [address, token0, token1] = [4, 5, 6].map((nth) => accounts[nth]!) as [
      ...[string, string, string],
    ]
    const vaults: Vaults = [accounts[8]!, accounts[10]!]
    const isIn0 = data[41] === 1
    const pool = this.#poolOf({ address, kind: 'v3', token0, token1, factory: program }, vaults)
    const moves = transfersIn(step)
    const into = sumOf(moves, 'to', vaults[isIn0 ? 0 : 1])
    const out = sumOf(moves, 'from', vaults[isIn0 ? 1 : 0])
    const event = events.next('e1ca49af932ba096', 8, address)
    if (event === null) return this.#missingEvent(address)
    const [rootBefore, rootAfter] = [u128(event, 41), u128(event, 57)]
    const net = into - u64(event, 105) - u64(event, 113)
    const last = pool.price && pool.sqrtPriceX96 > 0n ? pool.sqrtPriceX96 : null
    this.differences.push(
      ...checkWhirlpool(address, { isIn0, net, out, rootBefore, rootAfter, last }),
    )
    pool.sqrtPriceX96 = rootAfter
    pool.price = rational(rootAfter * rootAfter, two128)
    this.#readVaults(pool, vaults)
    return swapOf(pool, isIn0, into, out)
  }

  /** `isKept`: fees for others stay in the vault. They do not count as reserves for the price. */
  #pumpSwap(step: Step, events: Events, isBuy: boolean, isKept = false): Swap | undefined {
    const { accounts, program } = step
    const [address, token0, token1] = [0, 3, 4].map((nth) => accounts[nth]!) as [
      ...[string, string, string],
    ]
    const vaults: Vaults = [accounts[7]!, accounts[8]!]
    const pool = this.#poolOf({ address, kind: 'v2', token0, token1, factory: program }, vaults)
    const moves = transfersIn(step)
    const [base, quote] = isBuy
      ? [sumOf(moves, 'from', vaults[0], accounts[5]!), sumOf(moves, 'to', vaults[1])]
      : [sumOf(moves, 'to', vaults[0]), sumOf(moves, 'from', vaults[1], accounts[6]!)]
    const event = events.next(isBuy ? '67f4521f2cf57777' : '3e2f370aa503dc2a', 120, address)
    if (event === null) return this.#missingEvent(address)
    const virtualAt = isBuy ? 405 + event.readUInt32LE(401) + 32 : 392
    const virtual = BigInt.asIntN(128, u128(event, virtualAt))
    const fees = [u64(event, 80), u64(event, 96), u64(event, 352)] as const
    const kept = isKept ? fees[1] + fees[2] : 0n
    const swapped: PumpSwapStep = {
      isBuy,
      base,
      quote,
      virtual,
      kept,
      reserves: [u64(event, 48), u64(event, 56)],
      fees,
    }
    this.differences.push(...checkPumpSwap(address, swapped))
    this.#readVaults(pool, vaults)
    pool.price = rational(pool.reserve1 + virtual - kept, pool.reserve0)
    return isBuy ? swapOf(pool, false, quote, base) : swapOf(pool, true, base, quote)
  }

  #curveTrade(step: Step, events: Events, places: CurvePlaces): Swap[] {
    const { accounts, program } = step
    const [token0, address, vault] = [places.mint, places.curve, places.vault].map(
      (nth) => accounts[nth]!,
    ) as [...[string, string, string]]
    const opened = {
      address,
      kind: 'curve',
      token0,
      token1: this.#native,
      factory: program,
    } as const
    const pool = this.#poolOf(opened)
    const event = events.next('bddb7fd34ee661ee', 8, token0)
    if (event === null) {
      this.#missingEvent(address)
      return []
    }
    const isBuy = event[56] === 1
    const rest = isBuy ? events.next('6fb06d8b316cd5fb', 40, token0) : null
    const moved = sumOf(transfersIn(step), isBuy ? 'from' : 'to', vault)
    const tokens = moved - (rest ? u64(rest, 144) : 0n)
    const swapped: CurveStep = {
      isBuy,
      tokens,
      lamports: u64(event, 40),
      after: { sol: u64(event, 97), tokens: u64(event, 105) },
      last: pool.price && { sol: pool.price.num, tokens: pool.price.den },
    }
    this.differences.push(...checkCurve(address, swapped))
    pool.reserve0 = u64(event, 121)
    pool.reserve1 = u64(event, 113)
    pool.price = rational(swapped.after.sol, swapped.after.tokens)
    const swap = isBuy
      ? swapOf(pool, false, swapped.lamports, tokens)
      : swapOf(pool, true, tokens, swapped.lamports)
    return rest === null ? [swap] : [swap, this.#restOf(pool, rest)]
  }

  /** The swap in the future pool that completes a purchase beyond the end of the curve. */
  #restOf(pool: Pool, event: Buffer): Swap {
    const [base, quote] = [u64(event, 144), u64(event, 152)]
    const reserves = [u64(event, 200), u64(event, 208)] as const
    const noFees = { virtual: 0n, kept: 0n, fees: [0n, 0n, 0n] as const }
    const swapped = { isBuy: true, base, quote, reserves, ...noFees }
    this.differences.push(...checkPumpSwap(pool.address, swapped))
    pool.reserve1 += quote
    pool.price = rational(reserves[1] + quote, reserves[0] - base)
    return swapOf(pool, false, quote, base)
  }

  #readVaults(pool: Pool, [vault0, vault1]: Vaults): void {
    pool.reserve0 = this.#balances.amountIn(vault0) ?? 0n
    pool.reserve1 = this.#balances.amountIn(vault1) ?? 0n
  }

  #missingEvent(address: string): undefined {
    this.differences.push(`Pool ${address} was traded on without an event.`)
  }
}

/** Copies the pool's state: later instructions of the transaction change it. */
function swapOf(pool: Pool, isIn0: boolean, into: bigint, out: bigint): Swap {
  const [amount0, amount1] = isIn0 ? [into, -out] : [-out, into]
  return { pool: { ...pool }, amount0, amount1 }
}
