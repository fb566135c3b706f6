// The check against the generator whose maths it knows: right blocks pass, and every figure that is changed is found.
import { expect, test } from 'vitest'
import {
  type GeneratedBlock,
  GeneratedChain,
} from '../../../../devnet/src/solana/generatedChain.ts'
import { solanaProfile } from '../../../../devnet/src/solana/solanaProfile.ts'
import type { RawBlock, SolanaChain } from './readSolanaChain.ts'
import { recomputeSolana } from './recomputeSolana.ts'

const startTimeS = 1_790_000_000
const generated = new GeneratedChain({ seed: 5, startTimeS, transactions: 8 })
generated.mine(60)
const decimals = new Map(
  Array.from(generated.world.mints, ([mint, known]) => [mint, known.decimals]),
)

function chainOf(blocks: readonly GeneratedBlock[]): SolanaChain {
  return { blocks: structuredClone(blocks) as unknown as RawBlock[], decimals }
}

function recomputed(chain: SolanaChain, isWhole = true) {
  const { sharedOwners } = solanaProfile
  return recomputeSolana(chain, { profile: solanaProfile, sharedOwners, isWhole })
}

test('default: the whole market, as the programs left it', () => {
  const { recomputed: market, differences, checked } = recomputed(chainOf(generated.blocks))
  expect(differences).toEqual([])
  expect(checked).toBeGreaterThan(100)
  const { world } = generated
  const pools = [world.curves, world.pumpPools, world.cpmms, world.whirlpools]
  expect(market.pairs.size).toBe(pools.reduce((sum, { size }) => sum + size, 0))
  expect(market.since).toBeNull()
  for (const { pool, root } of world.whirlpools.values())
    expect(market.pairs.get(pool)!.sqrtPriceX96).toBe(root)
  for (const { curve, virtualSol, virtualTokens, rest } of world.curves.values()) {
    const { price, trades } = market.pairs.get(curve)!
    if (trades.length === 0) continue
    // Where the last purchase went on in the pool to be, that has what was raised but the fee of the migration.
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

test('behavior: of a chain whose older blocks are gone, what follows from the rest', () => {
  const late = recomputed(chainOf(generated.blocks.slice(20)), false)
  expect(late.differences).toEqual([])
  const whole = recomputed(chainOf(generated.blocks)).recomputed
  const since = late.recomputed.since!.number
  expect(since).toBeGreaterThan(generated.blocks[20]!.slot)
  for (const [address, { trades }] of late.recomputed.pairs) {
    const isIn = ({ blockNumber }: { blockNumber: number }) => blockNumber >= since
    const [ours, theirs] = [trades, whole.pairs.get(address)!.trades].map((all) => all.filter(isIn))
    expect(ours!.map(({ usdE8, amount0, reserve0 }) => ({ usdE8, amount0, reserve0 }))).toEqual(
      theirs!.map(({ usdE8, amount0, reserve0 }) => ({ usdE8, amount0, reserve0 })),
    )
  }
})

test('behavior: a program that reckons otherwise is found', () => {
  // Amounts in the events of each program, by their tags.
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

/** Makes the number at a place of the first event with a tag half again as big. */
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
