// The oracle's own arithmetic, and its recomputation of a generated Solana chain: correct blocks
// pass, and every changed figure is found.
import { describe, expect, test } from 'vitest'
import {
  type GeneratedBlock,
  GeneratedChain,
} from '../packages/devnet/src/solana/generatedChain.ts'
import { solanaProfile } from '../packages/devnet/src/solana/solanaProfile.ts'
import { klinesOf } from './oracle/klines.ts'
import type { Trade } from './oracle/market.ts'
import { rational, rationalOf, relativeError, round, toNumber } from './oracle/rational.ts'
import type { RawBlock } from './oracle/solana/rawBlock.ts'
import { recomputeSolana, type SolanaChain } from './oracle/solana/recomputeSolana.ts'
import { rangeOf } from './oracle/valueTrade.ts'

const startTimeS = 1_790_000_000
const generated = new GeneratedChain({ seed: 5, startTimeS, transactions: 8 })
generated.mine(60)
const decimals = new Map(
  Array.from(generated.world.mints, ([mint, known]) => [mint, known.decimals]),
)

function chainOf(blocks: readonly GeneratedBlock[]): SolanaChain {
  return { blocks: structuredClone(blocks) as unknown as RawBlock[], decimals }
}

const recomputed = (chain: SolanaChain) => recomputeSolana(chain, solanaProfile)

test('default: the recomputed market equals the state of the generator’s programs', () => {
  const { recomputed: market, differences, checked } = recomputed(chainOf(generated.blocks))
  expect(differences).toEqual([])
  expect(checked).toBeGreaterThan(100)
  const { world } = generated
  const pools = [world.curves, world.pumpPools, world.cpmms, world.whirlpools]
  expect(market.pairs.size).toBe(pools.reduce((sum, { size }) => sum + size, 0))
  for (const { pool, root } of world.whirlpools.values())
    expect(market.pairs.get(pool)!.sqrtPriceX96).toBe(root)
  for (const { curve, virtualSol, virtualTokens, rest } of world.curves.values()) {
    const { price, trades } = market.pairs.get(curve)!
    if (trades.length === 0) continue
    // If the last purchase continued in the future pool, that pool holds the raised SOL less the
    // migration fee.
    const raised = virtualSol - 30_000_000_000n - 15_000_001n
    expect(price).toEqual(
      rest
        ? { num: raised + rest.quote, den: 206_900_000_000_000n - rest.base }
        : { num: virtualSol, den: virtualTokens },
    )
  }
  expect([...world.curves.values()].some(({ rest }) => rest !== undefined)).toBe(true)
  for (const { mint, owner, amount } of world.accounts.values())
    if (!solanaProfile.sharedOwners.includes(owner) && market.tokens.has(mint))
      expect(market.tokens.get(mint)!.wallets.get(owner) ?? amount).toBe(amount)
})

test('behavior: a program with another formula is detected', () => {
  // Offsets of an amount in the events of each program, by discriminator.
  const places = {
    '40c6cde8260871e2': 48,
    e1ca49af932ba096: 57,
    '67f4521f2cf57777': 56,
    bddb7fd34ee661ee: 40,
  }
  for (const [tag, at] of Object.entries(places)) {
    const chain = chainOf(generated.blocks)
    const isFound = changed(chain, tag, at)
    expect(isFound, tag).toBe(true)
    expect(recomputed(chain).differences.length, tag).toBeGreaterThan(0)
  }
})

/** Multiplies the number at this offset by 1.5, in the first event with this discriminator. */
function changed(chain: SolanaChain, tag: string, at: number): boolean {
  const prefix = 'Program data: '
  for (const { transactions } of chain.blocks)
    for (const { meta } of transactions) {
      const logs = meta.logMessages as string[]
      for (const [line, text] of logs.entries()) {
        if (!text.startsWith(prefix) || meta.err !== null) continue
        const bytes = Buffer.from(text.slice(prefix.length), 'base64')
        if (bytes.toString('hex', 0, 8) !== tag) continue
        bytes.writeBigUInt64LE((bytes.readBigUInt64LE(at) * 3n) / 2n, at)
        logs[line] = prefix + bytes.toString('base64')
        return true
      }
    }
  return false
}

describe('arithmetic', () => {
  test('default: rationals', () => {
    expect(round(rational(5n, 2n))).toBe(3n)
    expect(round(rational(7n, 3n))).toBe(2n)
    expect(toNumber(rational(1n, 3n))).toBe(1 / 3)
    expect(toNumber(rational(-(3n ** 700n), 3n ** 699n))).toBe(-3)
    expect(rationalOf(0.1)).toEqual({ num: 3602879701896397n, den: 36028797018963968n })
    expect(relativeError(rational(1n, 3n), 1 / 3)).toBeLessThan(2 ** -53)
    expect(relativeError(rational(1n), 1 + 2 ** -52)).toBe(2 ** -52)
  })

  test('behavior: a volume may differ only where doubles may round the other way', () => {
    expect(rangeOf(rational(1_000_000_000_001n, 1n))).toEqual({
      low: 1_000_000_000_001n,
      high: 1_000_000_000_001n,
    })
    expect(rangeOf(rational(2_000_000_000_001n, 2n))).toEqual({
      low: 1_000_000_000_000n,
      high: 1_000_000_000_001n,
    })
  })

  test('behavior: a kline opens at the last close, and weeks begin on Monday', () => {
    const mondayS = 1_699_833_600
    const trade = (timeS: number, price: bigint): Trade => ({
      blockNumber: 1,
      timeS,
      logIndex: 0,
      txHash: '0x',
      wallet: '0x',
      amount0: -1n,
      amount1: 1n,
      isBuy: true,
      targetAmount: 1n,
      reserve0: 1n,
      reserve1: 1n,
      holding0: 1n,
      holding1: 1n,
      priceRaw: rational(price),
      priceUsd: rational(price),
      priceNative: null,
      usdE8: { low: 5n, high: 5n },
      nativeRaw: { low: 0n, high: 0n },
    })
    const trades = [trade(mondayS - 1, 4n), trade(mondayS, 9n), trade(mondayS + 604_799, 2n)]
    const [before, week, ...others] = klinesOf(trades, 604_800)
    expect(others).toEqual([])
    expect(before).toMatchObject({ startS: mondayS - 604_800, count: 1, native: null })
    expect(week).toMatchObject({ startS: mondayS, count: 2, volumeUsdE8: { low: 10n, high: 10n } })
    const { open, high, low, close } = week!.usd!
    expect([open, high, low, close].map(toNumber)).toEqual([4, 9, 2, 2])
  })
})
