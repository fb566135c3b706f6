// Pool holdings at a block without state, on a simulated chain of balances and transfers.
import { expect, test } from 'vitest'
import { RpcError } from '../../chain/errors.ts'
import type { Multicall } from '../../chain/evm/calls/multicall.ts'
import type { EvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import { selector } from '../../venues/evm/asking/callWords.ts'
import { createPastStateReader } from './pastStates.ts'
import { transferTopic } from './transferScan.ts'

const word = (hex: string) => `0x${hex.replace('0x', '').padStart(64, '0')}`
const [pool, other, token0, token1, trader] = ['aa', 'bb', '01', '02', 'cc'].map(
  (byte) => `0x${byte.repeat(20)}`,
) as [string, string, string, string, string]

type Transfer = { block: number; token: string; from: string; to: string; amount: bigint }
type Filter = { address: string[]; topics: [string, ...(string[] | null)[]] } & Record<
  'fromBlock' | 'toBlock',
  string
>

const headNumber = 1_000

const defaults = {
  /** Each pool's balance at block 0. */
  held: 1_000n,
  /** Amount the token adds to each balance per block, without a transfer. */
  drift: 0n,
  /** Transfers that are logged although no balance changed. */
  fakes: [] as readonly Transfer[],
  rangeMax: 1e9,
  /** Hash of the head, as the node that returns logs knows it. */
  hash: '0xhead',
}

function createChain(transfers: readonly Transfer[], options: Partial<typeof defaults> = {}) {
  const { held, drift, fakes, rangeMax, hash } = { ...defaults, ...options }
  const asked = { ranges: 0, refused: 0 }
  const balanceOf = (token: string, wallet: string, block: number) =>
    transfers
      .filter((each) => each.token === token && each.block <= block)
      .reduce(
        (sum, { from, to, amount }) =>
          sum + (to === wallet ? amount : 0n) - (from === wallet ? amount : 0n),
        held + drift * BigInt(block),
      )
  const multicall: Multicall = {
    async call(calls, at) {
      const { number } = at as { number: number }
      if (number < headNumber - 128) throw new Error('missing trie node')
      return calls.map(({ to, data }) => {
        if (data === selector.token0) return { ok: true as const, data: word(token0) }
        if (data === selector.token1) return { ok: true as const, data: word(token1) }
        const amount = balanceOf(to, `0x${data.slice(-40)}`, number)
        return { ok: true as const, data: word(amount.toString(16)) }
      })
    },
  }
  const head = (ofHash: string) => ({ number: `0x${headNumber.toString(16)}`, hash: ofHash })
  function logsOf({ address, topics, fromBlock, toBlock }: Filter) {
    asked.ranges += 1
    if (Number(toBlock) - Number(fromBlock) >= rangeMax) {
      asked.refused += 1
      const call = { method: 'eth_getLogs', endpoint: null, detail: 'limited to fewer blocks' }
      throw new RpcError({ kind: 'rangeTooLarge', ...call })
    }
    const [topic0, from, to] = topics
    expect(topic0).toBe(transferTopic)
    return [...transfers, ...fakes]
      .filter((each) => each.block >= Number(fromBlock) && each.block <= Number(toBlock))
      .filter((each) => address.includes(each.token))
      .map((each) => ({
        address: each.token,
        topics: [transferTopic, word(each.from), word(each.to)],
        data: word(each.amount.toString(16)),
        blockNumber: `0x${each.block.toString(16)}`,
      }))
      .filter((log) => from?.includes(log.topics[1]!) ?? true)
      .filter((log) => to?.includes(log.topics[2]!) ?? true)
  }
  const rpc = {
    request: async () => head('0xhead'),
    requestBatch: async (calls: readonly { method: string; params: readonly unknown[] }[]) =>
      calls.map(({ method, params }) => {
        try {
          const value = method === 'eth_getLogs' ? logsOf(params[0] as Filter) : head(hash)
          return { ok: true, value, endpoint: 0 }
        } catch (error) {
          return { ok: false, error, endpoint: 0 }
        }
      }),
  } as unknown as EvmRpc
  return { rewind: createPastStateReader({ rpc, multicall }), asked, balanceOf }
}

const at = (number: number) => ({ number, hash: `0x${number}` })

const transfers: Transfer[] = [
  { block: 10, token: token0, from: trader, to: pool, amount: 5n },
  { block: 11, token: token0, from: trader, to: pool, amount: 70n },
  { block: 300, token: token1, from: pool, to: trader, amount: 300n },
  { block: 400, token: token0, from: pool, to: other, amount: 20n },
  { block: 500, token: token1, from: pool, to: pool, amount: 9n },
  { block: 990, token: token1, from: trader, to: pool, amount: 40n },
  { block: 995, token: token1, from: trader, to: other, amount: 1n },
]

test.each([10, 11, 299, 300, 650, 935])(
  'default: holdings after block %i follow from balances and transfers',
  async (number) => {
    const { rewind, balanceOf } = createChain(transfers)
    expect(await rewind([pool, other], at(number))).toEqual(
      [pool, other].map((address) => ({
        reserve0: balanceOf(token0, address, number),
        reserve1: balanceOf(token1, address, number),
        priceRaw: null,
      })),
    )
  },
)

test('behavior: ranges shrink to the size that nodes accept', async () => {
  const { rewind, asked, balanceOf } = createChain(transfers, { rangeMax: 100 })
  const [state] = await rewind([pool], at(10))
  expect(state).toMatchObject({ reserve0: balanceOf(token0, pool, 10) })
  expect(asked.refused).toBeGreaterThan(0)
})

test.each([
  ['a token that rebases', { drift: 1n }],
  [
    'logged transfers without balance changes, in blocks with state',
    { fakes: [{ block: 950, token: token0, from: trader, to: pool, amount: 1n }] },
  ],
  [
    'logged transfers larger than the balance',
    { fakes: [{ block: 200, token: token1, from: trader, to: pool, amount: 10_000n }] },
  ],
])('behavior: holdings are unknown because of %s', async (_, options) => {
  const { rewind } = createChain(transfers, options)
  expect(await rewind([pool], at(10))).toEqual([null])
})

test('behavior: recent blocks, whose state every node has, are not rewound', async () => {
  const { rewind, asked } = createChain(transfers)
  expect(await rewind([pool], at(936))).toEqual([null])
  expect(asked.ranges).toBe(0)
})

test('behavior: fails if the head is replaced during the scan', async () => {
  const { rewind } = createChain(transfers, { hash: '0xanother' })
  await expect(rewind([pool], at(10))).rejects.toMatchObject({ code: 'RESOLVE_HISTORY_TORN' })
})
