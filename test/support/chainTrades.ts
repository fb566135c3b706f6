// Swaps and liquidity changes of a chain from its logs, decoded by viem only, in the format of
// pushes.
import { formatUnits, parseAbi } from 'viem'
import type { DevnetProfile } from '../../packages/devnet/src/profile.ts'
import {
  decodeLog,
  launchPlatformEvents,
  v2PoolEvents,
  v3PoolEvents,
} from '../oracle/evm/events.ts'
import { curveIdOf } from '../oracle/evm/pools.ts'
import { type Chain, type ChainLog, readChain } from '../oracle/evm/readChain.ts'

/** The expected members of a push. */
export type ChainTrade = {
  pair: string
  tokens: readonly [string, string]
  tx: Readonly<Record<string, unknown>> & { id: string; block_number: number }
}

export type ChainTrades = {
  head: { number: number; hash: string }
  /** Swaps in the order of the chain. */
  swaps: ChainTrade[]
  liquidity: ChainTrade[]
  pairs: string[]
  tokens: string[]
}

type Pool = { tokens: readonly [string, string]; kind: 'v2' | 'v3' | 'curve' }
type Amounts = readonly [bigint, bigint]

const factoryEvents = parseAbi([
  'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)',
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
])

const v2LiquidityEvents = parseAbi([
  'event Mint(address indexed sender, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)',
])

const v3LiquidityEvents = parseAbi([
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)',
])

export async function readChainTrades(
  rpcUrl: string,
  profile: DevnetProfile,
): Promise<ChainTrades> {
  return tradesOf(await readChain({ rpcUrl, multicall3: profile.multicall3 }), profile)
}

function tradesOf({ blocks, decimals }: Chain, profile: DevnetProfile): ChainTrades {
  const pools = new Map<string, Pool>()
  const platform = profile.launchPlatforms[0]!.address
  const factories = new Set(profile.venues.map(({ address }) => address))
  const swaps: ChainTrade[] = []
  const liquidity: ChainTrade[] = []
  const text = (token: string, amount: bigint) =>
    formatUnits(amount < 0n ? -amount : amount, decimals.get(token)!)

  function poolOf(log: ChainLog): [string, Pool] | undefined {
    if (log.address !== platform) {
      const pool = pools.get(log.address)
      return pool && [log.address, pool]
    }
    const event = decodeLog(launchPlatformEvents, log)
    if (event === undefined) return undefined
    const token = event.args.token.toLowerCase()
    const id = curveIdOf(platform, token)
    pools.set(id, { kind: 'curve', tokens: [token, profile.native.wrappedToken] })
    return [id, pools.get(id)!]
  }

  /** Registers the pool of a factory's event and returns its address. */
  function takeFactory(log: ChainLog): string | undefined {
    const event = factories.has(log.address) ? decodeLog(factoryEvents, log) : undefined
    if (event === undefined) return undefined
    const { token0, token1 } = event.args
    const address = 'pair' in event.args ? event.args.pair : event.args.pool
    pools.set(address.toLowerCase(), {
      kind: 'pair' in event.args ? 'v2' : 'v3',
      tokens: [token0.toLowerCase(), token1.toLowerCase()],
    })
    return address.toLowerCase()
  }

  for (const { number, timeS, logs } of blocks) {
    const burnt = new Map<string, [bigint, bigint]>()
    for (const log of logs) {
      const made = takeFactory(log)
      const found = made === undefined ? poolOf(log) : ([made, pools.get(made)!] as const)
      if (found === undefined) continue
      const [pair, { kind, tokens }] = found
      const origin = {
        id: `${number}-${log.logIndex}`,
        block_number: number,
        time: timeS,
        chain: profile.name,
        pair_address: pair,
        transaction: log.txHash,
        wallet_address: log.sender,
      }
      const swap = swapOf(kind, log)
      if (swap !== undefined) {
        const [side, other] = swap.amounts[0] > 0n ? [0, 1] : [1, 0]
        const tx = {
          ...origin,
          sender: swap.sender,
          to: swap.to,
          from_address: tokens[side]!,
          to_address: tokens[other]!,
          from_amount: text(tokens[side]!, swap.amounts[side]!),
          to_amount: text(tokens[other]!, swap.amounts[other]!),
        }
        swaps.push({ pair, tokens, tx })
      }
      const change = made === undefined ? changeOf(kind, log, burnt) : creation
      if (change !== undefined) {
        const tx = {
          ...origin,
          type: change.type,
          token0_address: tokens[0],
          token1_address: tokens[1],
          amount0: text(tokens[0], change.amounts[0]),
          amount1: text(tokens[1], change.amounts[1]),
        }
        liquidity.push({ pair, tokens, tx })
      }
    }
  }
  const { number, hash } = blocks.at(-1)!
  const tokens = [...new Set([...pools.values()].flatMap((pool) => pool.tokens))]
  return { head: { number, hash }, swaps, liquidity, pairs: [...pools.keys()], tokens }
}

function swapOf(kind: Pool['kind'], log: ChainLog) {
  if (kind === 'curve') {
    const event = decodeLog(launchPlatformEvents, log)
    if (event?.eventName !== 'Trade') return undefined
    const { isBuy, tokenAmount, ethAmount } = event.args
    const trader = event.args.trader.toLowerCase()
    const amounts: Amounts = isBuy ? [-tokenAmount, ethAmount] : [tokenAmount, -ethAmount]
    return { amounts, sender: trader, to: trader }
  }
  if (kind === 'v2') {
    const event = decodeLog(v2PoolEvents, log)
    if (event?.eventName !== 'Swap') return undefined
    const { sender, to, amount0In, amount0Out, amount1In, amount1Out } = event.args
    const amounts: Amounts = [amount0In - amount0Out, amount1In - amount1Out]
    return { amounts, sender: sender.toLowerCase(), to: to.toLowerCase() }
  }
  const event = decodeLog(v3PoolEvents, log)
  if (event?.eventName !== 'Swap') return undefined
  const { sender, recipient, amount0, amount1 } = event.args
  const amounts: Amounts = [amount0, amount1]
  return { amounts, sender: sender.toLowerCase(), to: recipient.toLowerCase() }
}

function changeOf(kind: Pool['kind'], log: ChainLog, burnt: Map<string, [bigint, bigint]>) {
  if (kind === 'v2') return v2ChangeOf(log)
  return kind === 'v3' ? v3ChangeOf(log, burnt) : undefined
}

const creation: { type: string; amounts: Amounts } = { type: 'createPair', amounts: [0n, 0n] }

function v2ChangeOf(log: ChainLog): { type: string; amounts: Amounts } | undefined {
  const event = decodeLog(v2LiquidityEvents, log)
  if (event === undefined) return undefined
  const type = event.eventName === 'Mint' ? 'addLiquidity' : 'removeLiquidity'
  return { type, amounts: [event.args.amount0, event.args.amount1] }
}

/** A position's fees are the collected amount minus what the same transaction burnt. */
function v3ChangeOf(
  log: ChainLog,
  burnt: Map<string, [bigint, bigint]>,
): { type: string; amounts: Amounts } | undefined {
  const event = decodeLog(v3LiquidityEvents, log)
  if (event === undefined) return undefined
  const { amount0, amount1, owner, tickLower, tickUpper } = event.args
  if (event.eventName === 'Mint') return { type: 'addLiquidity', amounts: [amount0, amount1] }
  const key = `${log.txHash}/${log.address}/${owner}/${tickLower}/${tickUpper}`
  const open = burnt.get(key) ?? [0n, 0n]
  if (event.eventName === 'Burn') {
    burnt.set(key, [open[0] + amount0, open[1] + amount1])
    if (amount0 === 0n && amount1 === 0n) return undefined
    return { type: 'removeLiquidity', amounts: [amount0, amount1] }
  }
  const least = (a: bigint, b: bigint) => (a < b ? a : b)
  const paid: Amounts = [least(open[0], amount0), least(open[1], amount1)]
  burnt.set(key, [open[0] - paid[0], open[1] - paid[1]])
  const amounts: Amounts = [amount0 - paid[0], amount1 - paid[1]]
  return amounts[0] === 0n && amounts[1] === 0n ? undefined : { type: 'collectFee', amounts }
}

/** The members of a push that follow from the chain. */
export function pickTradeFields(
  push: Readonly<Record<string, unknown>>,
  trade: ChainTrade,
): unknown {
  return Object.fromEntries(Object.keys(trade.tx).map((name) => [name, push[name]]))
}
