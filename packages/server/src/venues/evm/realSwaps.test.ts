// Receipts of real transactions as nodes returned them. The test reads the expected values word by
// word and compares them with the transfers of the tokens.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decodeLogs } from '../../../../../test/support/decodeLogs.ts'
import type { DecodedEvent } from '../../model/decodedBlock.ts'

type RawLog = { address: string; topics: string[]; data: string; logIndex: string }
type Receipt = {
  chain: string
  transactionHash: string
  blockHash: string
  blockNumber: string
  from: string
  logs: RawLog[]
}

const fixture = new URL('../../../../../test/fixtures/uniswapSwaps.json', import.meta.url)
const receipts = JSON.parse(readFileSync(fixture, 'utf8')) as Receipt[]

const topics = {
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  sync: '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1',
  swapV2: '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
  swapV3: '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
}

// Its token0 takes a share of every transfer, so its events show less than the pool sends and
// receives.
const poolOfTax = '0x99c59000f5a76c54c4fd7d82720c045bdcf1450d'

/** The 32 bytes at a place of the data. */
const wordOf = ({ data }: RawLog, at: number) =>
  BigInt(`0x${data.slice(2 + 64 * at, 2 + 64 * (at + 1))}`)
const signed = (value: bigint) => BigInt.asIntN(256, value)
const addressOf = (topic: string) => `0x${topic.slice(26).toLowerCase()}`

/** Net amount of each token that the pool received, by the tokens' own events. */
function movedOf(logs: readonly RawLog[], pool: string): Map<string, bigint> {
  const moved = new Map<string, bigint>()
  for (const log of logs) {
    if (log.topics[0] !== topics.transfer || log.topics.length !== 3) continue
    const token = log.address.toLowerCase()
    const [from, to] = [addressOf(log.topics[1]!), addressOf(log.topics[2]!)]
    const amount = wordOf(log, 0)
    if (to === pool) moved.set(token, (moved.get(token) ?? 0n) + amount)
    if (from === pool) moved.set(token, (moved.get(token) ?? 0n) - amount)
  }
  return moved
}

/** Swaps of a receipt, from its bytes. */
function swapsOf({ logs }: Receipt) {
  return logs.flatMap((log, at) => {
    const pool = log.address.toLowerCase()
    const place = { pool, index: Number(log.logIndex) }
    if (log.topics[0] === topics.swapV2) {
      const [in0, in1, out0, out1] = [0, 1, 2, 3].map((word) => wordOf(log, word))
      // The pool emits its reserves right before the swap.
      const sync = logs[at - 1]!
      expect([sync.topics[0], sync.address.toLowerCase()]).toEqual([topics.sync, pool])
      const [reserve0, reserve1] = [wordOf(sync, 0), wordOf(sync, 1)]
      const priceRaw = Number(reserve1) / Number(reserve0)
      return {
        ...place,
        amount0: in0! - out0!,
        amount1: in1! - out1!,
        reserve0,
        reserve1,
        priceRaw,
      }
    }
    if (log.topics[0] !== topics.swapV3) return []
    const sqrtPrice = wordOf(log, 2)
    // 60 digits of the square, so that the double is the nearest one.
    const priceRaw = Number(`${(sqrtPrice * sqrtPrice * 10n ** 60n) >> 192n}e-60`)
    const amounts = { amount0: signed(wordOf(log, 0)), amount1: signed(wordOf(log, 1)) }
    return { ...place, ...amounts, reserve0: null, reserve1: null, priceRaw }
  })
}

describe.each(receipts)('$chain $transactionHash', (receipt) => {
  const { transactionHash, blockHash: hash, from } = receipt
  const number = Number(receipt.blockNumber)
  const { events, counts } = decodeLogs({
    ref: { number, hash, parentNumber: number - 1, parentHash: '', timeS: 0 },
    logs: receipt.logs.map(({ address, topics: given, data, logIndex }) => ({
      address: address.toLowerCase(),
      topics: given,
      data,
      transactionHash,
      logIndex: Number(logIndex),
    })),
    senders: new Map([[transactionHash, from]]),
  })
  const decoded = events.filter(
    (event): event is Extract<DecodedEvent, { type: 'swap' }> => event.type === 'swap',
  )
  const swaps = swapsOf(receipt)

  test('default: every swap equals the bytes of its log', () => {
    expect(swaps.length).toBeGreaterThan(0)
    expect(counts).toEqual({ malformed: 0, unknownSenders: 0, spoofed: 0 })
    expect(decoded.map(({ index, pool }) => ({ index, pool }))).toEqual(
      swaps.map(({ index, pool }) => ({ index, pool })),
    )
    for (const [at, { priceRaw, ...swap }] of swaps.entries()) {
      expect(decoded[at]).toMatchObject({ ...swap, txHash: transactionHash, wallet: from })
      expect(Math.abs(decoded[at]!.priceRaw! / priceRaw - 1)).toBeLessThan(1e-15 * 4)
    }
  })

  test('behavior: amounts of a swap equal the transfers of its tokens', () => {
    for (const { pool, amount0, amount1 } of swaps) {
      const moved = movedOf(receipt.logs, pool)
      // A pool orders its tokens by address.
      const [token0, token1] = [...moved.keys()].sort()
      expect(amount1).toBe(moved.get(token1!))
      expect(amount0 === moved.get(token0!)).toBe(pool !== poolOfTax)
    }
  })
})
