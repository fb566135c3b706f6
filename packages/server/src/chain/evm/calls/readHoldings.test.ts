import { expect, test } from 'vitest'
import { RpcError } from '../../errors.ts'
import type { Multicall, MulticallCall, MulticallResult } from './multicall.ts'
import { readHoldings } from './readWallets.ts'

const token = `0x${'7'.repeat(40)}`
const [alice, bob, carol] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
]
const { signal } = new AbortController()
const query = { token, wallets: [alice, bob, carol], number: 9 }

test('default: by wallet, of those that the token answers for', async () => {
  const asked: { calls: readonly MulticallCall[]; block: unknown }[] = []
  const answers: MulticallResult[] = [
    { ok: true, data: `0x${'2a'.padStart(64, '0')}` },
    { ok: false } as MulticallResult,
    { ok: true, data: '0x' },
  ]
  const multicall: Multicall = {
    async call(calls, block) {
      asked.push({ calls, block })
      return answers
    },
  }
  expect(await readHoldings(multicall, query, signal)).toEqual(new Map([[alice, 42n]]))
  expect(asked).toEqual([
    {
      block: { number: 9 },
      calls: query.wallets.map((wallet) => ({
        to: token,
        data: `0x70a08231${'0'.repeat(24)}${wallet.slice(2)}`,
      })),
    },
  ])
})

test('behavior: no node answers', async () => {
  const multicall: Multicall = {
    async call() {
      const facts = {
        kind: 'timeout',
        method: 'eth_call',
        endpoint: null,
        detail: 'silent',
      } as const
      throw new RpcError(facts)
    },
  }
  expect((await readHoldings(multicall, query, signal)).size).toBe(0)
})
