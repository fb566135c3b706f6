// Made-up blocks of a busy chain in a node's format: Uniswap V2 pools, four logs a swap, and for
// the rest transfers and approvals of tokens without pools.
import { encodeAbiParameters, keccak256, pad, toHex } from 'viem'

const topicOf = (signature: string) => keccak256(Buffer.from(signature))
const topics = {
  transfer: topicOf('Transfer(address,address,uint256)'),
  approval: topicOf('Approval(address,address,uint256)'),
  sync: topicOf('Sync(uint112,uint112)'),
  swap: topicOf('Swap(address,uint256,uint256,uint256,uint256,address)'),
  created: topicOf('PairCreated(address,address,address,uint256)'),
}
const addressOf = (kind: number, at: number) =>
  pad(toHex((BigInt(kind) << 32n) + BigInt(at) + 1n), { size: 20 })
const wordsOf = (...values: bigint[]) =>
  encodeAbiParameters(
    values.map(() => ({ type: 'uint256' as const })),
    values,
  )
const topicOfAddress = (address: string) => pad(address as `0x${string}`, { size: 32 })

export const factory = addressOf(0xfa, 0)
export const weth = addressOf(0x01, 0)
export const dollar = addressOf(0x02, 0)
const router = addressOf(0x0f, 0)
const pooled = 10n ** 24n
const sold = 10n ** 18n

export type Pool = { address: string; token0: string; token1: string; reserves: [bigint, bigint] }
export type Log = { address: string; topics: string[]; data: string; transactionIndex: string }
export type BusyBlock = { number: number; hash: string; logs: Log[]; transactions: object[] }

export type BusyChain = {
  pools: readonly Pool[]
  /** The next block, with this many swaps and at least this many logs. */
  next(swaps: number, logs: number): BusyBlock
  swapCount(): number
}

const hashOf = (kind: string, at: number) => keccak256(Buffer.from(`${kind} ${at}`))

export const blockHashOf = (number: number) => hashOf('block', number)

export function createBusyChain(poolCount: number): BusyChain {
  const pools: Pool[] = Array.from({ length: poolCount }, (_, at) => {
    const other = at === 0 ? dollar : addressOf(0x10, at)
    return {
      address: addressOf(0x20, at),
      token0: weth,
      token1: other,
      reserves: [pooled, pooled],
    }
  })
  let number = 0
  let swapped = 0

  function created({ address, token0, token1 }: Pool, at: number): Log[] {
    const tokens = [token0, token1].map(topicOfAddress)
    const index = toHex(at)
    const data = `${topicOfAddress(address)}${wordsOf(BigInt(at + 1)).slice(2)}`
    const log = (from: string, list: string[], words: string) => ({
      address: from,
      topics: list,
      data: words,
      transactionIndex: index,
    })
    return [
      log(factory, [topics.created, ...tokens], data),
      log(address, [topics.sync], wordsOf(pooled, pooled)),
    ]
  }

  /** Alternately sells and buys WETH. */
  function swap(transaction: number): Log[] {
    const pool = pools[swapped % pools.length]!
    const side = (Math.floor(swapped / pools.length) % 2) as 0 | 1
    const wallet = addressOf(0x30, swapped % 5_000)
    const transactionIndex = toHex(transaction)
    swapped += 1
    const { reserves } = pool
    const bought = (reserves[1 - side]! * sold * 997n) / (reserves[side] * 1_000n + sold * 997n)
    reserves[side] += sold
    reserves[1 - side] = reserves[1 - side]! - bought
    const tokens = [pool.token0, pool.token1]
    const moved = (token: string, from: string, to: string, amount: bigint): Log => ({
      address: token,
      transactionIndex,
      data: wordsOf(amount),
      topics: [topics.transfer, topicOfAddress(from), topicOfAddress(to)],
    })
    const amounts = side === 0 ? [sold, 0n, 0n, bought] : [0n, sold, bought, 0n]
    return [
      moved(tokens[side]!, wallet, pool.address, sold),
      moved(tokens[1 - side]!, pool.address, wallet, bought),
      {
        address: pool.address,
        topics: [topics.sync],
        data: wordsOf(...reserves),
        transactionIndex,
      },
      {
        address: pool.address,
        data: wordsOf(...amounts),
        transactionIndex,
        topics: [topics.swap, topicOfAddress(router), topicOfAddress(wallet)],
      },
    ]
  }

  const other = (at: number, transaction: number): Log => ({
    address: addressOf(0x40, at % 700),
    topics: [
      at % 3 === 0 ? topics.approval : topics.transfer,
      ...[topicOfAddress(addressOf(0x50, at)), topicOfAddress(addressOf(0x51, at))],
    ],
    data: wordsOf(BigInt(at)),
    transactionIndex: toHex(transaction),
  })

  return {
    pools,
    swapCount: () => swapped,
    next(swaps, logCount) {
      const logs = number === 0 ? pools.flatMap(created) : []
      const first = number === 0 ? pools.length : 0
      for (let at = 0; at < swaps; at += 1) logs.push(...swap(first + at))
      const wallets = Array.from({ length: swaps }, (_, at) =>
        addressOf(0x30, (swapped - swaps + at) % 5_000),
      )
      const senders = [...Array<string>(first).fill(router), ...wallets, router]
      while (logs.length < logCount) logs.push(other(logs.length, senders.length - 1))
      const transactions = senders.map((from, at) => ({
        hash: hashOf(`transaction ${number}`, at),
        from,
        to: router,
        transactionIndex: toHex(at),
        value: '0x0',
        input: '0x',
      }))
      const block = { number, hash: blockHashOf(number), logs, transactions }
      number += 1
      return block
    },
  }
}
