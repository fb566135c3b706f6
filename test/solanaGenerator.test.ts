// The generated chain against the product's decoders: decoded values must equal the state of the
// generator's programs.
import { expect, test } from 'vitest'
import { decodeBase58 } from '../packages/devnet/src/solana/base58.ts'
import {
  type GeneratedBlock,
  GeneratedChain,
} from '../packages/devnet/src/solana/generatedChain.ts'
import { cpmmReserves } from '../packages/devnet/src/solana/poolPrograms.ts'
import { toWire } from '../packages/devnet/src/solana/toWire.ts'
import type { World } from '../packages/devnet/src/solana/world.ts'
import {
  createSolanaDecodeCounts,
  decodeSolanaBlock,
} from '../packages/server/src/decode/solana/decodeSolanaBlock.ts'
import type {
  DecodedEvent,
  DecodedLiquidity,
  DecodedSwap,
} from '../packages/server/src/model/decodedBlock.ts'
import type { RpcTransaction } from '../packages/server/src/model/solana/rpcTransaction.ts'

const startTimeS = 1_790_000_000
const sharedOwners = new Set(['GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL'])

/** A block in any encoding. */
type BlockInAnyEncoding = Omit<GeneratedBlock, 'transactions'> & {
  transactions: readonly RpcTransaction[]
}

function decode(blocks: readonly BlockInAnyEncoding[]): DecodedEvent[] {
  const counts = createSolanaDecodeCounts()
  const events = blocks.flatMap((block) => {
    const { slot: number, blockhash: hash, parentSlot: parentNumber, transactions } = block
    const ref = {
      number,
      hash,
      parentNumber,
      parentHash: block.previousBlockhash,
      timeS: block.blockTime,
    }
    return decodeSolanaBlock({ ref, transactions }, { counts, holders: { sharedOwners } }).events
  })
  expect(counts.malformed).toBe(0)
  return events
}

/** The last trade of every pool. */
function lastSwaps(events: readonly DecodedEvent[]): Map<string, DecodedSwap> {
  const last = new Map<string, DecodedSwap>()
  for (const event of events) if (event.type === 'swap') last.set(event.pool, event)
  return last
}

// buy_v3 and sell_v3 of pump.fun, buy_v2 and sell_v2 of PumpSwap, and the fee sweeps of both.
const newTags = [
  ...['07051dc4f5176550', '1c92de7726c469d5', 'b817ee6167c5d33d', '5df6823ce7e940b2'],
  ...['0830be07b644b7e5', '20f6bf3408c949ba'],
]

function tagsOf({ transaction }: GeneratedBlock['transactions'][number]): string[] {
  return transaction.message.instructions.map(({ data }) =>
    Buffer.from(decodeBase58(data)).toString('hex', 0, 8),
  )
}

const mined = (blocks: number, seed = 7) => {
  const chain = new GeneratedChain({ seed, startTimeS })
  chain.mine(blocks)
  return chain
}

/** Each owner's balance of a token. Vaults of pools that share an owner count separately. */
function holdings({ accounts }: World): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const [account, { mint, owner, amount }] of accounts) {
    const key = `${mint} ${sharedOwners.has(owner) ? account : owner}`
    sums.set(key, (sums.get(key) ?? 0n) + amount)
  }
  return sums
}

test('default: decoded pools and curves equal the state of their programs', () => {
  const chain = mined(80)
  const { world } = chain
  const events = decode(chain.blocks)
  const last = lastSwaps(events)
  const amountOf = (account: string) => world.accounts.get(account)!.amount
  for (const pool of world.whirlpools.values()) {
    const { priceRaw } = last.get(pool.pool)!
    const { reserve0, reserve1 } = events.findLast(
      (event) => (event.type === 'swap' || event.type === 'liquidity') && event.pool === pool.pool,
    ) as DecodedSwap | DecodedLiquidity
    expect([reserve0, reserve1]).toEqual(pool.vaults.map(amountOf))
    expect(priceRaw).toBeCloseTo((Number(pool.root) / 2 ** 64) ** 2, 12)
  }
  for (const pool of world.cpmms.values()) {
    const { reserve0, reserve1 } = last.get(pool.pool)!
    const [left0, left1] = cpmmReserves(world.accounts, pool)
    // Fees that a trade makes the pool owe stay in its reported reserves until the next event.
    const [over0, over1] = [reserve0! - left0, reserve1! - left1]
    expect([over0 === 0n || over1 === 0n, over0 >= 0n && over1 >= 0n]).toEqual([true, true])
    expect(over0 + over1).toBeLessThan(1_000_000n)
  }
  for (const {
    curve,
    realTokens,
    realSol,
    virtualSol,
    virtualTokens,
    isComplete,
  } of world.curves.values()) {
    const swap = last.get(curve)
    if (swap === undefined || isComplete) continue
    expect([swap.reserve0, swap.reserve1]).toEqual([realTokens, realSol])
    expect(swap.priceRaw).toBe(Number(virtualSol) / Number(virtualTokens))
  }
  for (const { pool, vaults, kept = [0n, 0n] } of world.pumpPools.values()) {
    const swap = last.get(pool)
    if (swap === undefined) continue
    const [reserve0, vault1] = vaults.map(amountOf) as [bigint, bigint]
    // Sweeps after the last trade pay the kept fees out of the vault and emit the amount.
    const after = events.slice(events.indexOf(swap) + 1)
    const swept = after.flatMap((event) =>
      event.type === 'sync' && event.pool === pool ? event.told![1]! : [],
    )
    const sweptSum = swept.reduce((sum, amount) => sum + amount, 0n)
    expect([swap.reserve0, swap.reserve1! - sweptSum]).toEqual([reserve0, vault1])
    expect(swap.told).toEqual([-kept[0] - kept[1] - sweptSum])
    expect(swap.priceRaw).toBe(Number(vault1 - kept[0] - kept[1]) / Number(reserve0))
  }
  const completed = [...world.curves.values()].filter(({ isComplete }) => isComplete)
  expect(completed.some(({ rest }) => rest !== undefined)).toBe(true)
  for (const { curve, rest } of completed) {
    const swap = last.get(curve)!
    if (rest) expect([swap.amount0, swap.amount1]).toEqual([-rest.base, rest.quote])
  }
  const tags = new Set(chain.blocks.flatMap(({ transactions }) => transactions.flatMap(tagsOf)))
  for (const tag of newTags) expect(tags, tag).toContain(tag)
  const countOf = (wanted: string) => events.filter(({ type }) => type === wanted).length
  expect(countOf('launch')).toBe(world.curves.size)
  expect(countOf('graduation')).toBe(world.pumpPools.size)
  expect(world.pumpPools.size).toBeGreaterThan(0)
})

test('behavior: providers add liquidity, and remove all of it with its fees', () => {
  const chain = mined(80)
  const [pool] = chain.world.whirlpools.values()
  const liquidity = pool!.positions.reduce((sum, position) => sum + position.liquidity, 0n)
  expect(pool!.liquidity).toBe(liquidity)
  const moved = decode(chain.blocks).filter(
    (event) => event.type === 'liquidity' && event.pool === pool!.pool,
  ) as DecodedLiquidity[]
  const [opener, ...providers] = new Set(moved.map(({ sender }) => sender))
  const kindsOf = (provider: string) =>
    moved.flatMap(({ sender, kind }) => (sender === provider ? [kind] : [])).join(' ')
  expect(kindsOf(opener!)).toBe('add')
  expect(providers).toHaveLength(2)
  for (const provider of providers)
    expect(kindsOf(provider)).toMatch(/^(add remove collect ?)+(add)?$/)
  // Liquidity changes have both sides; collected fees may have one.
  for (const { kind, amount0, amount1 } of moved)
    if (kind === 'collect') expect(amount0 + amount1).toBeGreaterThan(0n)
    else expect([amount0 > 0n, amount1 > 0n]).toEqual([true, true])
})

test('behavior: decoded balances equal the chain’s, for everyone who ever moved tokens', () => {
  const chain = mined(30)
  const before = holdings(new GeneratedChain({ seed: 7, startTimeS }).world)
  for (const event of decode(chain.blocks))
    if (event.type === 'balance') before.set(`${event.token} ${event.owner}`, event.amount)
  expect(before).toEqual(holdings(chain.world))
})

test('behavior: transactions of every version, failed ones, votes and skipped slots', () => {
  const { blocks } = mined(40)
  const all = blocks.flatMap(({ transactions }) => transactions)
  expect(new Set(all.map(({ version }) => version))).toEqual(new Set(['legacy', 0, 1]))
  expect(all.filter(({ meta }) => meta!.err !== null).length).toBeGreaterThan(20)
  const loaded = all.filter(({ meta }) => meta!.loadedAddresses!.writable.length > 0)
  expect(loaded.every(({ version }) => version === 0)).toBe(true)
  expect(loaded.length).toBeGreaterThan(20)
  const gaps = blocks.slice(1).filter(({ slot, parentSlot }) => slot > parentSlot + 1)
  expect(gaps.length).toBeGreaterThan(2)
  const inBytes = blocks.map((block) => ({
    ...block,
    transactions: block.transactions.map((one) => ({
      ...one,
      transaction: toWire(one),
    })),
  }))
  const market = (list: readonly BlockInAnyEncoding[]) =>
    decode(list)
      .filter(({ type }) => type !== 'balance')
      .map(({ index: _, ...event }) => event)
  expect(market(inBytes)).toEqual(market(blocks))
})

test('behavior: the same seed makes the same chain, and an abandoned branch leaves no trace', () => {
  const plain = mined(40)
  const forked = mined(25)
  forked.mine(6, 'other')
  expect(forked.head.blockhash).not.toBe(plain.blocks[30]!.blockhash)
  forked.drop(6)
  forked.mine(15)
  expect(forked.blocks).toEqual(plain.blocks)
  expect(forked.world).toEqual(plain.world)
})
