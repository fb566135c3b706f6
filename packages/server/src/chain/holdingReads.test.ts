import { expect, test } from 'vitest'
import type { HoldingsQuery, WalletHoldings } from '../model/walletFacts.ts'
import { createHoldingReads } from './walletReads.ts'

const query = { token: '0xt', wallets: ['0xa', '0xb'], number: 7 }

function createNode(answer: (query: HoldingsQuery) => Promise<WalletHoldings>) {
  const asked: HoldingsQuery[] = []
  const signals: AbortSignal[] = []
  const reads = (timeoutMs = 60_000) =>
    createHoldingReads({
      timeoutMs,
      tokensMax: 2,
      readHoldings(each, signal) {
        asked.push(each)
        signals.push(signal)
        return answer(each)
      },
    })
  return { asked, signals, reads }
}

const balances = new Map([['0xa', 5n]])

test('default: asked once for each block, whoever wants to know', async () => {
  const node = createNode(async () => balances)
  const read = node.reads()
  expect(await Promise.all([read(query), read(query)])).toEqual([balances, balances])
  expect(await read({ ...query, wallets: ['0xa'] })).toEqual(balances)
  expect(node.asked).toEqual([query])
  await read({ ...query, number: 8 })
  await read({ ...query, number: 8, wallets: ['0xa', '0xc'] })
  expect(node.asked.length).toBe(3)
})

test('behavior: no answer is nothing that is remembered', async () => {
  const node = createNode(async () => new Map())
  const read = node.reads()
  expect((await read(query)).size).toBe(0)
  expect((await read(query)).size).toBe(0)
  expect(node.asked.length).toBe(2)
})

test('behavior: a node that is silent is not waited for, and its question ends', async () => {
  const node = createNode(() => new Promise(() => {}))
  expect((await node.reads(1)(query)).size).toBe(0)
  expect(node.signals.map(({ aborted }) => aborted)).toEqual([true])
})

test('behavior: of many tokens the last are remembered', async () => {
  const node = createNode(async () => balances)
  const read = node.reads()
  for (const token of ['0x1', '0x2', '0x3', '0x3', '0x1']) await read({ ...query, token })
  expect(node.asked.map(({ token }) => token)).toEqual(['0x1', '0x2', '0x3', '0x1'])
})
