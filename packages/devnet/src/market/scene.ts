import type { Address } from 'viem'
import type { Deployment, ListedPool, ListedToken } from '../contracts/deployment.ts'
import type { Wallets } from '../contracts/wallets.ts'
import type { Transaction } from '../node/lane.ts'
import type { Request } from '../node/provider.ts'
import type { Random } from '../random.ts'

/**
 * Reserves in raw units; for a V3 pool the virtual ones at its price. Floats are precise enough for
 * bots.
 */
export type PoolState = { pool: ListedPool; base: number; quote: number }

/** A launched token; the curve of a graduated one is empty. */
export type CurveState = { token: Address; index: number; leftRaw: bigint; raisedRaw: bigint }

export type MarketState = {
  pools: readonly PoolState[]
  /** Newest first; older ones are left out. */
  curves: readonly CurveState[]
}

/**
 * Everything a bot may use to plan a block. Bots keep nothing between blocks: their actions follow
 * from the seed, the block and the chain, so they continue after a restart or a reorg.
 */
export type Scene = {
  deployment: Deployment
  wallets: Wallets
  random: Random
  request: Request
  seed: string
  genesisS: number
  timestampS: number
  parentTimestampS: number
  state: MarketState
  /** A pool some blocks ago; undefined if the chain is younger. */
  loadPast: (pool: ListedPool) => Promise<PoolState | undefined>
  tokenOf: (address: Address) => ListedToken
}

/**
 * An action planned by a bot. A spend is cut to the owner's balance and approved first if needed.
 */
export type Intent =
  | { type: 'send'; transaction: Transaction }
  | {
      type: 'spend'
      owner: Address
      token: Address
      /** Undefined if the owner sends it. */
      spender: Address | undefined
      /** Raw units, or a share of the balance. */
      amount: bigint | { share: number }
      build: (amount: bigint) => Transaction
    }

export type Bot = (scene: Scene) => Intent[] | Promise<Intent[]>

/** True once in every period of block time, at any block interval. */
export function isDue(scene: Scene, periodS: number, offsetS = 0): boolean {
  const slot = (timeS: number) => Math.floor((timeS - scene.genesisS - offsetS) / periodS)
  return slot(scene.timestampS) > slot(scene.parentTimestampS)
}

export function send(transaction: {
  from: Address
  to: Address
  data: string
  value?: bigint
  gas?: number
}): Intent {
  const { value = 0n, gas = 400_000 } = transaction
  return { type: 'send', transaction: { ...transaction, value, gas } }
}

export function toRaw(amount: number): bigint {
  return amount >= 1 ? BigInt(Math.floor(amount)) : 0n
}

export function ether(amount: number): bigint {
  return BigInt(Math.floor(amount * 1e9)) * 1_000_000_000n
}
