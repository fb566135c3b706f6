import { concat, type Hex, keccak256, zeroAddress } from 'viem'
import { type MarketProfile, newPool, type OpenedPool, type Pool, type Swap } from '../market.ts'
import { rational } from '../rational.ts'
import type { Balances } from './balances.ts'
import {
  decodeLog,
  launchPlatformEvents,
  v2FactoryEvents,
  v2PoolEvents,
  v3FactoryEvents,
  v3PoolEvents,
} from './events.ts'
import type { ChainLog } from './readChain.ts'

/** All trusted pools of a chain. Takes logs in order and returns the swaps among them. */
export type Pools = {
  take(log: ChainLog, blockNumber: number): Swap | undefined
  /** Updates pools whose reserves are their token balances, which every transfer changes. */
  updateReserves(): void
  all(): Pool[]
}

export function curveIdOf(platform: string, token: string): string {
  return keccak256(concat([platform as Hex, token as Hex, zeroAddress]))
}

export function createPools(profile: MarketProfile, balances: Balances): Pools {
  const pools = new Map<string, Pool>()
  const venues = new Map(profile.venues.map(({ address, venue }) => [address, venue]))
  const platforms = new Set(profile.launchPlatforms.map(({ address }) => address))

  function open(pool: OpenedPool, createdBlock: number): void {
    pools.set(pool.address, newPool(pool, createdBlock))
  }

  function takeFactory(log: ChainLog, blockNumber: number): void {
    const v2 = venues.get(log.address) === 'uniswapV2' && decodeLog(v2FactoryEvents, log)
    const v3 = venues.get(log.address) === 'uniswapV3' && decodeLog(v3FactoryEvents, log)
    const event = v2 || v3
    if (!event) return
    const address = 'pair' in event.args ? event.args.pair : event.args.pool
    open(
      {
        address: address.toLowerCase(),
        kind: v2 ? 'v2' : 'v3',
        token0: event.args.token0.toLowerCase(),
        token1: event.args.token1.toLowerCase(),
        factory: log.address,
      },
      blockNumber,
    )
  }

  function takePlatform(log: ChainLog, blockNumber: number): Swap | undefined {
    const event = decodeLog(launchPlatformEvents, log)
    if (!event) return undefined
    const token0 = event.args.token.toLowerCase()
    const address = curveIdOf(log.address, token0)
    if (event.eventName === 'TokenCreated') {
      const token1 = profile.native.wrappedToken
      open({ address, kind: 'curve', token0, token1, factory: log.address }, blockNumber)
      return undefined
    }
    const pool = pools.get(address)
    if (!pool) return undefined
    if (event.eventName === 'Graduated') {
      pool.reserve0 = 0n
      pool.reserve1 = 0n
      const { logIndex } = log
      pool.graduation = { pair: event.args.pair.toLowerCase(), blockNumber, logIndex }
      return undefined
    }
    const { isBuy, tokenAmount, ethAmount, virtualToken, virtualEth } = event.args
    pool.reserve0 = event.args.realToken
    pool.reserve1 = event.args.realEth
    pool.price = rational(virtualEth, virtualToken)
    return isBuy
      ? { pool, amount0: -tokenAmount, amount1: ethAmount }
      : { pool, amount0: tokenAmount, amount1: -ethAmount }
  }

  return {
    take(log, blockNumber) {
      if (venues.has(log.address)) takeFactory(log, blockNumber)
      if (platforms.has(log.address)) return takePlatform(log, blockNumber)
      const pool = pools.get(log.address)
      if (pool?.kind === 'v2') return takeV2(pool, log)
      if (pool?.kind === 'v3') return takeV3(pool, log, balances)
      return undefined
    },
    updateReserves() {
      for (const pool of pools.values()) if (pool.kind === 'v3') weigh(pool, balances)
    },
    all: () => [...pools.values()],
  }
}

function takeV2(pool: Pool, log: ChainLog): Swap | undefined {
  const event = decodeLog(v2PoolEvents, log)
  if (event?.eventName === 'Sync') {
    const { reserve0, reserve1 } = event.args
    pool.reserve0 = reserve0
    pool.reserve1 = reserve1
    // An empty pool keeps its last price.
    if (reserve0 > 0n && reserve1 > 0n) pool.price = rational(reserve1, reserve0)
  }
  if (event?.eventName !== 'Swap') return undefined
  const { amount0In, amount1In, amount0Out, amount1Out } = event.args
  return { pool, amount0: amount0In - amount0Out, amount1: amount1In - amount1Out }
}

const q192 = 1n << 192n

function takeV3(pool: Pool, log: ChainLog, balances: Balances): Swap | undefined {
  const event = decodeLog(v3PoolEvents, log)
  if (!event) return undefined
  const { sqrtPriceX96 } = event.args
  weigh(pool, balances)
  pool.sqrtPriceX96 = sqrtPriceX96
  pool.price = rational(sqrtPriceX96 * sqrtPriceX96, q192)
  if (event.eventName === 'Initialize') return undefined
  return { pool, amount0: event.args.amount0, amount1: event.args.amount1 }
}

function weigh(pool: Pool, balances: Balances): void {
  pool.reserve0 = balances.balanceOf(pool.token0, pool.address)
  pool.reserve1 = balances.balanceOf(pool.token1, pool.address)
}
