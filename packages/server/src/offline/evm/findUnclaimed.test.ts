import { expect, test } from 'vitest'
import { encodeLog } from '../../../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../../../test/support/eventAbi.ts'
import { venueAbi } from '../../../../../test/support/venueAbi.ts'
import type { EvmLog } from '../../model/evm/evmBlock.ts'
import type { SwapSummary } from '../../model/swapLine.ts'
import { findUnclaimed, sharesOf } from './findUnclaimed.ts'

const address = (byte: string) => `0x${byte.repeat(20)}`
const [pool, router, wallet, one, other] = ['a1', 'b1', 'c1', '11', '22'].map(address) as string[]
const txHash = `0x${'01'.repeat(32)}`
const strange = `0x${'5a'.repeat(32)}`

/** A wallet sells one token for another through a router. Pool and router emit unknown events. */
const logs: EvmLog[] = (
  [
    [one, wallet, router],
    [one, router, pool],
    [other, pool, router],
    [other, router, wallet],
  ] as [string, string, string][]
).map(([token, from, to], logIndex) =>
  encodeLog(
    eventAbi.transfer,
    { from, to, value: token === one ? 100n : 7n },
    { address: token, logIndex, transactionHash: txHash },
  ),
)
const logBy = (by: string, logIndex: number): EvmLog => ({
  address: by,
  topics: [strange],
  data: '0x',
  logIndex,
  transactionHash: txHash,
})
const receipt = { txHash, from: wallet!, logs: [...logs, logBy(pool!, 4), logBy(router!, 5)] }

test('default: a contract with more of one token and less of another emitted a swap', () => {
  expect(findUnclaimed([receipt], [])).toEqual([
    { tx: txHash, index: 4, topic0: strange, contract: pool },
  ])
})

test('behavior: a contract with a decoded swap is not reported again', () => {
  const line = { tx: txHash, index: 4 } as SwapSummary
  expect(findUnclaimed([receipt], [line])).toEqual([])
  const elsewhere = { tx: `0x${'02'.repeat(32)}`, index: 4 } as SwapSummary
  expect(findUnclaimed([receipt], [elsewhere])).toHaveLength(1)
})

test('behavior: one-sided flows and token events are not swaps', () => {
  const paid = logs.slice(0, 2)
  expect(findUnclaimed([{ ...receipt, logs: [...paid, logBy(pool!, 4)] }], [])).toEqual([])
  const transfers = logs.map((log, i) => ({ ...log, logIndex: 10 + i, address: pool! }))
  const noisy = { ...receipt, logs: [...logs, ...transfers] }
  expect(findUnclaimed([noisy], [])).toEqual([])
})

test('behavior: a contract that executes orders emits no swap of its own', () => {
  const trade = { owner: wallet, sellToken: one, buyToken: other, sellAmount: 100n, buyAmount: 7n }
  const order = { ...trade, feeAmount: 0n, orderUid: '0x' }
  const place = { address: pool!, logIndex: 6, transactionHash: txHash }
  const settled = {
    ...receipt,
    logs: [...receipt.logs, encodeLog(venueAbi.tradeCow, order, place)],
  }
  expect(findUnclaimed([settled], [])).toEqual([])
})

test('default: shares are of logs that look like swaps, and of transactions with one', () => {
  const at = (tx: string, index: number) => ({ tx, index, topic0: strange, contract: pool! })
  const lines = [at('a', 1), at('a', 2), at('a', 3), at('b', 1)] as unknown as SwapSummary[]
  expect(sharesOf([at('b', 2)], lines)).toEqual({ ofLogs: 1 / 5, ofTransactions: 1 / 2 })
  expect(sharesOf([], lines)).toEqual({ ofLogs: 0, ofTransactions: 0 })
  expect(sharesOf([], [])).toEqual({ ofLogs: 0, ofTransactions: 0 })
})
