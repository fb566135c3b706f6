// The market recomputed from logs and eth_call alone, by code of its own, against the chain and against the service.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  MarketReads,
  MarketWindow,
  PairState,
  TokenState,
} from '../../packages/server/src/engine/marketReads.ts'
import type { Kline } from '../../packages/server/src/model/klines/kline.ts'
import { checkChainViews } from '../../packages/server/src/verify/evm/checkChainViews.ts'
import { readChain, readHeadNumber } from '../../packages/server/src/verify/evm/readChain.ts'
import { klinesOf } from '../../packages/server/src/verify/klines.ts'
import {
  rational,
  rationalOf,
  relativeError,
  round,
  toNumber,
} from '../../packages/server/src/verify/rational.ts'
import { readStore } from '../../packages/server/src/verify/readStore.ts'
import {
  type Recomputed,
  type RecomputedPair,
  type RecomputedToken,
  recompute,
} from '../../packages/server/src/verify/recompute.ts'
import { rangeOf, type Trade } from '../../packages/server/src/verify/valueTrade.ts'
import { type CompareMarketOptions, compareMarket } from '../independent/compare.ts'
import { comparePair } from '../independent/comparePair.ts'
import { compareToken } from '../independent/compareToken.ts'
import { compareTokenSeries } from '../independent/compareTokenSeries.ts'
import { compareTokenWindows } from '../independent/compareTokenWindows.ts'
import { type InProcessIndex, indexInProcess } from '../independent/indexInProcess.ts'
import {
  give,
  mineDaysApart,
  mineLock,
  mineMarket,
  mineOddities,
  mineStranger,
  mineUnlock,
} from '../independent/marketScenes.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { createDataDir } from '../support/postgres.ts'
import { runProgram, startPatientProgram } from '../support/program.ts'
import { until } from '../support/until.ts'

async function recomputeHead({ rpcUrl, profile }: DevNode): Promise<Recomputed> {
  const { multicall3 } = profile
  const headNumber = await readHeadNumber(rpcUrl)
  return recompute(await readChain({ rpcUrl, headNumber, multicall3 }), profile)
}

async function checkViews(node: DevNode, recomputed: Recomputed) {
  const { rpcUrl, profile } = node
  return await checkChainViews({ recomputed, rpcUrl, multicall3: profile.multicall3 })
}

/** In and between buckets, a minute on, and when nearly all of a day is over. */
function windowsAtS({ head }: Recomputed): number[] {
  return [0, 7, 61, 86_000].map((laterS) => head.timeS + laterS)
}

async function differencesOf(node: DevNode, index: InProcessIndex): Promise<string[]> {
  const recomputed = await recomputeHead(node)
  await index.reach(recomputed.head.hash)
  const { profile } = node
  return await compareMarket({
    ...index,
    recomputed,
    profile,
    windowsAtS: windowsAtS(recomputed),
  })
}

function startIndex({ rpcUrl, profile }: DevNode, startBlock = 0): InProcessIndex {
  return indexInProcess({ rpcUrl, profile, multicall3: profile.multicall3, startBlock })
}

describe('a chain that is there already', () => {
  let node: DevNode
  let recomputed: Recomputed
  let index: InProcessIndex

  beforeAll(async () => {
    node = await startDevNode({ market: true, seed: 'independent' })
    await mineMarket(node, 240)
    await mineOddities(node)
    await mineDaysApart(node)
    recomputed = await recomputeHead(node)
    index = startIndex(node)
    await index.reach(recomputed.head.hash)
  })

  afterAll(async () => {
    await index?.stop()
    await node?.stop()
  })

  test('default: logs say what the contracts say', async () => {
    const { differences, viewCount } = await checkViews(node, recomputed)
    expect(differences).toEqual([])
    expect(viewCount).toBeGreaterThan(500)
  })

  test('default: the market has all there is to check', () => {
    const pairs = [...recomputed.pairs.values()]
    for (const kind of ['v2', 'v3', 'curve'] as const) {
      const trades = pairs.filter((pair) => pair.kind === kind).flatMap((pair) => pair.trades)
      expect(trades.length).toBeGreaterThan(100)
      expect(trades.some(({ isBuy }) => isBuy)).toBe(true)
      expect(trades.some(({ isBuy }) => !isBuy)).toBe(true)
    }
    const graduated = pairs.filter(
      ({ kind, price, reserve1 }) => kind === 'curve' && price !== null && reserve1 === 0n,
    )
    expect(graduated.length).toBeGreaterThan(0)
    expect(pairs.every(({ isCovered }) => isCovered)).toBe(true)
    const tokens = [...recomputed.tokens.values()]
    for (const part of ['burnt', 'locked'] as const)
      expect(tokens.some(({ parts }) => parts[part] > 0n)).toBe(true)
  })

  test("behavior: the service's market is the recomputed one", async () => {
    const { profile } = node
    const nows = windowsAtS(recomputed)
    const options = { ...index, recomputed, profile, windowsAtS: nows }
    expect(await compareMarket(options)).toEqual([])
    for (const nowS of nows) expect(compareTokenWindows(recomputed, index.reads, nowS)).toEqual([])
    const { reads, tokenKlines } = index
    expect(compareTokenSeries(recomputed, profile, reads, tokenKlines)).toEqual([])
  })

  test('behavior: a service that starts late has the same reserves, prices and holders', async () => {
    const startBlock = node.deployment.blockNumber + 120
    const late = startIndex(node, startBlock)
    await late.reach(recomputed.head.hash)
    const { reads, holders } = late
    const sentences: string[] = []
    let pairCount = 0
    let metCurveCount = 0
    for (const pair of recomputed.pairs.values()) {
      const trades = pair.trades.filter(({ blockNumber }) => blockNumber >= startBlock)
      const pairId = reads.findPair(pair.address)
      if (pairId === undefined) {
        if (trades.length > 0) sentences.push(`${pair.kind} pair ${pair.address} is not known.`)
        continue
      }
      pairCount += 1
      if (pair.kind === 'curve' && pair.createdBlock < startBlock) {
        metCurveCount += 1
        const { launch } = reads.tokenState(reads.findToken(pair.token0)!)
        const state = pair.reserve1 === 0n ? 'out' : launch?.state
        expect(launch).toMatchObject({ curvePairId: pairId, creator: '', state })
      }
      const known = { ...pair, trades }
      sentences.push(...comparePair(recomputed, known, node.profile, reads, pairId))
    }
    for (const token of recomputed.tokens.values())
      if (reads.findToken(token.address) !== undefined)
        sentences.push(...(await compareToken(token, reads, holders)))
    await late.stop()
    expect(sentences).toEqual([])
    expect(pairCount).toBeGreaterThan(20)
    expect(metCurveCount).toBeGreaterThan(0)
  })

  describe('behavior: planted differences are found', () => {
    let pair: RecomputedPair
    let token: RecomputedToken
    let pairId: number
    const find = async (planted: Partial<CompareMarketOptions>) => {
      const only = {
        ...recomputed,
        pairs: new Map([[pair.address, pair]]),
        tokens: new Map([pair.token0, pair.token1].map((at) => [at, recomputed.tokens.get(at)!])),
      }
      const { profile } = node
      const sentences = await compareMarket({ ...index, recomputed: only, profile, ...planted })
      // Of the whole market only one pair is looked at here.
      return sentences.filter((sentence) => !/The market (pair|token) count/.test(sentence))
    }
    const reading = (changed: Partial<MarketReads>) => ({ reads: { ...index.reads, ...changed } })

    beforeAll(() => {
      pair = [...recomputed.pairs.values()].find(({ kind }) => kind === 'v3')!
      token = recomputed.tokens.get(pair.targetSide === 0 ? pair.token0 : pair.token1)!
      pairId = index.reads.findPair(pair.address)!
    })

    test('default', async () => {
      expect(await find({})).toEqual([])
    })

    test('args: pair', async () => {
      const state = index.reads.pairState(pairId)
      const plant = (changed: Partial<PairState>) =>
        find(reading({ pairState: () => ({ ...state, ...changed }) }))
      const off = (value: number) => value * (1 + 3e-14)
      expect(await plant({ reserve0: state.reserve0 + 1n })).toEqual([
        expect.stringContaining('reserve0'),
      ])
      expect(await plant({ priceRaw: off(state.priceRaw) })).toEqual([
        expect.stringContaining('priceRaw'),
      ])
      expect(await plant({ tvlUsd: off(state.tvlUsd) })).toEqual([
        expect.stringContaining('tvlUsd'),
      ])
      expect(await find(reading({ findPair: () => undefined }))).toEqual([
        expect.stringContaining('not known'),
      ])
    })

    test('args: token', async () => {
      const tokenId = index.reads.findToken(token.address)!
      const state = index.reads.tokenState(tokenId)
      const plant = (changed: Partial<TokenState>) =>
        find(
          reading({
            tokenState: (id) =>
              id === tokenId ? { ...state, ...changed } : index.reads.tokenState(id),
          }),
        )
      for (const part of ['burnt', 'locked', 'other'] as const) {
        const supply = { ...state.supply!, [part]: state.supply![part] + 1n }
        expect(await plant({ supply })).toEqual([expect.stringContaining(part)])
      }
      for (const field of ['fdvUsd', 'marketCapUsd'] as const)
        expect(await plant({ [field]: state[field] * (1 + 3e-14) })).toEqual([
          expect.stringContaining(field),
        ])
    })

    test('args: window', async () => {
      const window = index.reads.pairWindow(pairId, 5, recomputed.head.timeS)
      const plant = (changed: Partial<MarketWindow>) =>
        find(
          reading({
            pairWindow: (...args) =>
              args[1] === 5 ? { ...window, ...changed } : index.reads.pairWindow(...args),
          }),
        )
      for (const field of ['buyVolumeUsdE8', 'sellVolumeUsdE8', 'organicVolumeUsdE8'] as const)
        expect(await plant({ [field]: window[field] + 1n })).toEqual([
          expect.stringContaining(field),
        ])
      for (const field of ['makers', 'buyers', 'sellers', 'buyCount', 'sellCount'] as const)
        expect(await plant({ [field]: window[field] + 1 })).toEqual([
          expect.stringContaining(field),
        ])
    })

    test('args: kline', async () => {
      const klines = await index.klines(pair.address, 1)
      const kline = klines[2]!
      const plant = (changed: Partial<Kline>) =>
        find({
          klines: async (address, interval) =>
            interval === 1
              ? klines.with(2, { ...kline, ...changed })
              : await index.klines(address, interval),
        })
      const high = kline.usd.high * (1 + 3e-13)
      expect(await plant({ volumeUsdE8: kline.volumeUsdE8 + 1n })).toEqual([
        expect.stringContaining('volumeUsdE8'),
      ])
      expect(await plant({ count: kline.count + 1 })).toEqual([expect.stringContaining('count')])
      expect(await plant({ usd: { ...kline.usd, high } })).toEqual([
        expect.stringContaining('usd.high'),
      ])
      expect(await plant({ startS: kline.startS + 1 })).toEqual([
        expect.stringContaining('missing'),
        expect.stringContaining('should not be'),
      ])
    })

    test('args: holders', async () => {
      const balances = await index.holders(token.address)
      const [wallet, amount] = [...balances].find(([, held]) => held > 0n)!
      const plant = (holder: string, held: bigint) =>
        find({
          holders: async (address) =>
            address === token.address
              ? new Map(balances).set(holder, held)
              : await index.holders(address),
        })
      expect(await plant(wallet, amount - 1n)).toEqual([expect.stringContaining(wallet)])
      expect(await plant('0x01', 1n)).toEqual([expect.stringContaining('0x01')])
    })
  })
})

describe('a chain that goes on', () => {
  let node: DevNode
  let index: InProcessIndex

  beforeAll(async () => {
    node = await startDevNode({ market: true, seed: 'independent live' })
    index = startIndex(node)
    await mineMarket(node, 30)
  })

  afterAll(async () => {
    await index?.stop()
    await node?.stop()
  })

  test('behavior: the market is the recomputed one after every few blocks', async () => {
    for (const blocks of [1, 1, 5, 20]) {
      await mineMarket(node, blocks)
      expect(await differencesOf(node, index)).toEqual([])
    }
  })

  test('behavior: and after reorgs', async () => {
    for (const depth of [1, 3, 8, 21]) {
      const before = (await node.readHead()).hash
      await index.reach(before)
      await node.reorg(depth)
      await mineMarket(node, depth + 1)
      expect(await differencesOf(node, index)).toEqual([])
    }
  })

  test('behavior: what is given to a concentrated pool is in its reserves at once', async () => {
    const { deployment } = node
    const pool = deployment.pools.find(({ venue }) => venue === 'v3')!.address
    await give(node, deployment.usdc, pool, 5_000_000_000n)
    await node.mine()
    const { differences } = await checkViews(node, await recomputeHead(node))
    expect(differences).toEqual([])
    expect(await differencesOf(node, index)).toEqual([])
    await node.reorg(1)
    await node.mine()
    await node.mine()
    expect(await differencesOf(node, index)).toEqual([])
  })

  test('behavior: what is locked and what is taken out again moves the market cap, and back', async () => {
    const { tokens } = node.deployment
    const { address: token } = tokens.find(({ symbol }) => symbol === 'ALFA')!
    const id = await mineLock(node, token, 10n ** 23n)
    const lockedOf = () => index.reads.tokenState(index.reads.findToken(token)!).supply?.locked
    expect(await differencesOf(node, index)).toEqual([])
    expect(lockedOf()).toBe(10n ** 23n)
    await mineUnlock(node, id)
    expect(await differencesOf(node, index)).toEqual([])
    expect(lockedOf()).toBe(0n)
    await node.reorg(1)
    await node.mine()
    await node.mine()
    expect(await differencesOf(node, index)).toEqual([])
    expect(lockedOf()).toBe(10n ** 23n)
  })

  test('behavior: what a pool of a strange factory says was traded is in no token', async () => {
    const { address: token } = node.deployment.tokens.find(({ symbol }) => symbol === 'ALFA')!
    const pool = await mineStranger(node, token)
    const recomputed = await recomputeHead(node)
    await index.reach(recomputed.head.hash)
    const { reads } = index
    const { timeS } = recomputed.head
    const pairId = reads.findPair(pool)!
    expect(reads.pairState(pairId)).toMatchObject({ record: { isTrusted: false }, tvlUsd: 0 })
    expect(reads.pairWindow(pairId, 0, timeS).buyVolumeUsdE8).toBe(0n)
    expect(compareTokenWindows(recomputed, reads, timeS)).toEqual([])
  })
})

describe('a running service', () => {
  // About 35 blocks of deployment and one for every two seconds of history.
  const liveFromBlock = 340
  let dataDir: string
  let program: Awaited<ReturnType<typeof startPatientProgram>> | undefined

  beforeAll(async () => {
    dataDir = await createDataDir()
    const settings = { devnet: { history_s: 600 }, log: { level: 'warn' } }
    program = await startPatientProgram(dataDir, settings)
  })

  afterAll(async () => {
    program?.child.kill('SIGINT')
    await program?.ended
    await rm(dataDir, { recursive: true, force: true })
  })

  test('behavior: all it has stored is what is recomputed up to its cursor', async () => {
    const connection = { host: join(dataDir, 'socket'), user: 'chaintape', database: 'postgres' }
    await until('live blocks are stored and all holders counted', async () => {
      const stored = await readStore(connection, 'local')
      const isComplete = [...stored.supplies.values()].every((supply) => supply.isComplete)
      return stored.cursor.number > liveFromBlock && isComplete
    })
    // It finds the node by the data directory alone.
    const verify = runProgram(['verify', '--json', '--data-dir', dataDir])
    expect(await verify.ended, verify.stdout() + verify.stderr()).toBe(0)
    const verified = JSON.parse(verify.stdout())
    expect(verified).toMatchObject({ chain_differences: [], store_differences: [] })
    expect(verified.trades).toBeGreaterThan(100)
  })
})

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

  test('behavior: a kline opens where the last one closed, and weeks begin on Monday', () => {
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
