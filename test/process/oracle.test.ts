// The market recomputed from logs and eth_call by independent code, compared with the chain and
// with the service.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  MarketReads,
  MarketWindow,
  PairState,
  TokenState,
} from '../../packages/server/src/engine/marketReads.ts'
import type { Kline } from '../../packages/server/src/model/klines/kline.ts'
import { type CompareMarketOptions, compareMarket } from '../oracle/compareMarket.ts'
import { comparePair } from '../oracle/comparePair.ts'
import { compareStore } from '../oracle/compareStore.ts'
import { compareHolders, compareToken } from '../oracle/compareToken.ts'
import { compareTokenSeries } from '../oracle/compareTokenSeries.ts'
import { compareTokenWindows } from '../oracle/compareWindows.ts'
import { checkChainViews } from '../oracle/evm/chainViews.ts'
import { readChain } from '../oracle/evm/readChain.ts'
import { recomputeEvm } from '../oracle/evm/recomputeEvm.ts'
import type { Recomputed, RecomputedPair, RecomputedToken } from '../oracle/market.ts'
import { readStore } from '../oracle/readStore.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { type InProcessIndex, indexInProcess } from '../support/indexInProcess.ts'
import {
  mineAcrossDays,
  mineLock,
  mineMarket,
  mineRareEvents,
  mineUnlock,
  mineUntrustedPool,
  transferFromProvider,
} from '../support/marketScenes.ts'
import { withClient } from '../support/postgres.ts'
import { type Service, startService, untilBalancesKnown, untilStored } from '../support/service.ts'
import { privateConnectionOf } from '../support/storedMarket.ts'

async function recomputeHead({ rpcUrl, profile }: DevNode, headNumber?: number) {
  const { multicall3 } = profile
  return recomputeEvm(await readChain({ rpcUrl, multicall3, headNumber }), profile)
}

async function checkViews(node: DevNode, recomputed: Recomputed) {
  const { rpcUrl, profile } = node
  return await checkChainViews({ recomputed, rpcUrl, multicall3: profile.multicall3 })
}

/** Times within and between buckets, a minute later, and when the day is almost over. */
function windowsAtS({ head }: Recomputed): number[] {
  return [0, 7, 61, 86_000].map((laterS) => head.timeS + laterS)
}

async function differencesOf(node: DevNode, index: InProcessIndex): Promise<string[]> {
  const recomputed = await recomputeHead(node)
  await index.reach(recomputed.head.hash)
  return compareMarket({ ...index, recomputed, windowsAtS: windowsAtS(recomputed) })
}

describe('an existing chain', () => {
  let node: DevNode
  let recomputed: Recomputed
  let index: InProcessIndex

  beforeAll(async () => {
    node = await startDevNode({ market: true, seed: 'independent' })
    await mineMarket(node, 240)
    await mineRareEvents(node)
    await mineAcrossDays(node)
    recomputed = await recomputeHead(node)
    index = indexInProcess(node)
    await index.reach(recomputed.head.hash)
  })

  afterAll(async () => {
    await index?.stop()
    await node?.stop()
  })

  test('default: values recomputed from logs equal the contracts’ views', async () => {
    const { differences, viewCount } = await checkViews(node, recomputed)
    expect(differences).toEqual([])
    expect(viewCount).toBeGreaterThan(500)
  })

  test('default: the market contains everything that has to be checked', () => {
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
    const tokens = [...recomputed.tokens.values()]
    for (const part of ['burnt', 'locked'] as const)
      expect(tokens.some(({ parts }) => parts[part] > 0n)).toBe(true)
  })

  test("behavior: the service's market equals the recomputed one", async () => {
    const nows = windowsAtS(recomputed)
    expect(compareMarket({ ...index, recomputed, windowsAtS: nows })).toEqual([])
    for (const nowS of nows) expect(compareTokenWindows(recomputed, index.reads, nowS)).toEqual([])
    const { reads, tokenKlines } = index
    expect(compareTokenSeries(recomputed, reads, tokenKlines)).toEqual([])
  })

  test('behavior: a service that starts late has the same reserves, prices and holders', async () => {
    const startBlock = node.deployment.blockNumber + 120
    const late = indexInProcess(node, startBlock)
    await late.reach(recomputed.head.hash)
    const { reads, holders } = late
    const sentences: string[] = []
    let pairCount = 0
    let lateCurveCount = 0
    for (const pair of recomputed.pairs.values()) {
      const trades = pair.trades.filter(({ blockNumber }) => blockNumber >= startBlock)
      const pairId = reads.findPair(pair.address)
      if (pairId === undefined) {
        if (trades.length > 0) sentences.push(`${pair.kind} pair ${pair.address} is not known.`)
        continue
      }
      pairCount += 1
      if (pair.kind === 'curve' && pair.createdBlock < startBlock) {
        lateCurveCount += 1
        const { launch } = reads.tokenState(reads.findToken(pair.token0)!)
        const state = pair.reserve1 === 0n ? 'out' : launch?.state
        expect(launch).toMatchObject({ curvePairId: pairId, creator: '', state })
      }
      const known = { ...pair, trades }
      sentences.push(...comparePair(recomputed, known, reads, pairId))
    }
    for (const token of recomputed.tokens.values())
      if (reads.findToken(token.address) !== undefined)
        sentences.push(
          ...compareToken(token, reads),
          ...compareHolders(token, holders(token.address)),
        )
    await late.stop()
    expect(sentences).toEqual([])
    expect(pairCount).toBeGreaterThan(20)
    expect(lateCurveCount).toBeGreaterThan(0)
  })

  describe('behavior: planted differences are found', () => {
    let pair: RecomputedPair
    let token: RecomputedToken
    let pairId: number
    const find = (planted: Partial<CompareMarketOptions>) => {
      const only = {
        ...recomputed,
        pairs: new Map([[pair.address, pair]]),
        tokens: new Map([pair.token0, pair.token1].map((at) => [at, recomputed.tokens.get(at)!])),
      }
      const sentences = compareMarket({ ...index, recomputed: only, ...planted })
      // This comparison covers one pair, so counts of the whole market are ignored.
      return sentences.filter((sentence) => !/The market (pair|token) count/.test(sentence))
    }
    const reading = (changed: Partial<MarketReads>) => ({ reads: { ...index.reads, ...changed } })

    beforeAll(() => {
      pair = [...recomputed.pairs.values()].find(({ kind }) => kind === 'v3')!
      token = recomputed.tokens.get(pair.targetSide === 0 ? pair.token0 : pair.token1)!
      pairId = index.reads.findPair(pair.address)!
    })

    test('default: the unchanged market has no differences', () => {
      expect(find({})).toEqual([])
    })

    test('args: pair', () => {
      const state = index.reads.pairState(pairId)
      const plant = (changed: Partial<PairState>) =>
        find(reading({ pairState: () => ({ ...state, ...changed }) }))
      const off = (value: number) => value * (1 + 3e-14)
      expect(plant({ reserve0: state.reserve0 + 1n })).toEqual([
        expect.stringContaining('reserve0'),
      ])
      expect(plant({ priceRaw: off(state.priceRaw) })).toEqual([
        expect.stringContaining('priceRaw'),
      ])
      expect(plant({ tvlUsd: off(state.tvlUsd) })).toEqual([expect.stringContaining('tvlUsd')])
      expect(find(reading({ findPair: () => undefined }))).toEqual([
        expect.stringContaining('not known'),
      ])
    })

    test('args: token', () => {
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
        expect(plant({ supply })).toEqual([expect.stringContaining(part)])
      }
      for (const field of ['fdvUsd', 'marketCapUsd'] as const)
        expect(plant({ [field]: state[field] * (1 + 3e-14) })).toEqual([
          expect.stringContaining(field),
        ])
    })

    test('args: window', () => {
      const window = index.reads.pairWindow(pairId, 5, recomputed.head.timeS)
      const plant = (changed: Partial<MarketWindow>) =>
        find(
          reading({
            pairWindow: (...args) =>
              args[1] === 5 ? { ...window, ...changed } : index.reads.pairWindow(...args),
          }),
        )
      for (const field of ['buyVolumeUsdE8', 'sellVolumeUsdE8', 'organicVolumeUsdE8'] as const)
        expect(plant({ [field]: window[field] + 1n })).toEqual([expect.stringContaining(field)])
      for (const field of ['makers', 'buyers', 'sellers', 'buyCount', 'sellCount'] as const)
        expect(plant({ [field]: window[field] + 1 })).toEqual([expect.stringContaining(field)])
    })

    test('args: kline', () => {
      const klines = index.klines(pair.address, 1)
      const kline = klines[2]!
      const plant = (changed: Partial<Kline>) =>
        find({
          klines: (address, interval) =>
            interval === 1
              ? klines.with(2, { ...kline, ...changed })
              : index.klines(address, interval),
        })
      const high = kline.usd.high * (1 + 3e-13)
      expect(plant({ volumeUsdE8: kline.volumeUsdE8 + 1n })).toEqual([
        expect.stringContaining('volumeUsdE8'),
      ])
      expect(plant({ count: kline.count + 1 })).toEqual([expect.stringContaining('count')])
      expect(plant({ usd: { ...kline.usd, high } })).toEqual([expect.stringContaining('usd.high')])
      expect(plant({ startS: kline.startS + 1 })).toEqual([
        expect.stringContaining('missing'),
        expect.stringContaining('should not be'),
      ])
    })

    test('args: holders', () => {
      const balances = index.holders(token.address)
      const [wallet, amount] = [...balances].find(([, held]) => held > 0n)!
      const plant = (holder: string, held: bigint) =>
        find({
          holders: (address) =>
            address === token.address
              ? new Map(balances).set(holder, held)
              : index.holders(address),
        })
      expect(plant(wallet, amount - 1n)).toEqual([expect.stringContaining(wallet)])
      expect(plant('0x01', 1n)).toEqual([expect.stringContaining('0x01')])
    })
  })
})

describe('a growing chain', () => {
  let node: DevNode
  let index: InProcessIndex

  beforeAll(async () => {
    node = await startDevNode({ market: true, seed: 'independent live' })
    index = indexInProcess(node)
    await mineMarket(node, 30)
  })

  afterAll(async () => {
    await index?.stop()
    await node?.stop()
  })

  test('behavior: the market equals the recomputed one after every few blocks', async () => {
    for (const blocks of [1, 1, 5, 20]) {
      await mineMarket(node, blocks)
      expect(await differencesOf(node, index)).toEqual([])
    }
  })

  test('behavior: the market equals the recomputed one after reorgs', async () => {
    for (const depth of [1, 3, 8, 21]) {
      const before = (await node.readHead()).hash
      await index.reach(before)
      await node.reorg(depth)
      await mineMarket(node, depth + 1)
      expect(await differencesOf(node, index)).toEqual([])
    }
  })

  test('behavior: tokens sent to a concentrated pool count in its reserves at once', async () => {
    const { deployment } = node
    const pool = deployment.pools.find(({ venue }) => venue === 'v3')!.address
    await transferFromProvider(node, deployment.usdc, pool, 5_000_000_000n)
    await node.mine()
    const { differences } = await checkViews(node, await recomputeHead(node))
    expect(differences).toEqual([])
    expect(await differencesOf(node, index)).toEqual([])
    await node.reorg(1)
    await node.mine()
    await node.mine()
    expect(await differencesOf(node, index)).toEqual([])
  })

  test('behavior: locking tokens lowers the market cap, and unlocking raises it', async () => {
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

  test('behavior: trades reported by an untrusted pool count for no token', async () => {
    const { address: token } = node.deployment.tokens.find(({ symbol }) => symbol === 'ALFA')!
    const pool = await mineUntrustedPool(node, token)
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
  let market: IndexedNode
  let service: Service | undefined

  beforeAll(async () => {
    market = await startIndexedNode({ seed: 'independent store', blocks: 60 })
  })

  afterAll(async () => {
    await service?.kill()
    await market?.stop()
  })

  test('behavior: the stored market equals the recomputed one, and a changed figure is found', async () => {
    const { node } = market
    const { dataDir, config } = await market.createConfig()
    service = await startService(dataDir, config)
    await market.mine(3)
    await untilStored(dataDir, node)
    await untilBalancesKnown(service)
    const connection = await privateConnectionOf(dataDir)
    const recomputed = await recomputeHead(node)
    const { differences } = await checkViews(node, recomputed)
    expect(differences).toEqual([])
    const differencesInStore = async () =>
      compareStore(recomputed, await readStore(connection, node.profile.name))
    expect(await differencesInStore()).toEqual([])

    const plant = (change: string) => withClient(connection, (client) => client.query(change))
    await plant(
      `UPDATE balances SET balance = balance + 1 WHERE (token_id, wallet) =
         (SELECT token_id, wallet FROM balances WHERE balance > 0 ORDER BY wallet LIMIT 1)`,
    )
    expect(await differencesInStore()).toEqual([expect.stringContaining('balance of')])
    await plant(
      `UPDATE swaps SET reserve1 = reserve1 + 1 WHERE (block, idx) =
         (SELECT block, idx FROM swaps ORDER BY block, idx LIMIT 1)`,
    )
    await plant(
      'UPDATE klines_k1 SET count = count + 1 WHERE start_s = (SELECT min(start_s) FROM klines_k1)',
    )
    expect(await differencesInStore()).toEqual(
      expect.arrayContaining([
        expect.stringContaining('balance of'),
        expect.stringContaining('reserve1'),
        expect.stringContaining('60 s klines'),
      ]),
    )
  })
})
