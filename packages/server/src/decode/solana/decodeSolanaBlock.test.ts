import { expect, test } from 'vitest'
import {
  type RecordedSwap,
  recordedSwaps,
  recordedTransactions,
} from '../../../../../test/support/solana/recorded.ts'
import type { DecodedEvent, DecodedSwap } from '../../model/decodedBlock.ts'
import type { RpcMeta, RpcTransaction } from '../../model/solana/rpcTransaction.ts'
import {
  createSolanaDecodeCounts,
  decodeSolanaBlock,
  decodeSolanaTransactions,
} from './decodeSolanaBlock.ts'

const transactions = recordedTransactions()
const swaps = recordedSwaps()

function swapsOf(events: readonly DecodedEvent[]): DecodedSwap[] {
  return events.filter((event) => event.type === 'swap')
}

function textOf(swap: DecodedSwap): RecordedSwap {
  const { tokens, amount0, amount1, venues, pool, wallet } = swap
  const [sold, bought] = amount0 > 0n ? tokens! : [tokens![1], tokens![0]]
  const [soldAmount, boughtAmount] = amount0 > 0n ? [amount0, -amount1] : [amount1, -amount0]
  return [venues![0]!, pool, sold, `${soldAmount}`, bought, `${boughtAmount}`, wallet]
}

/** Balance change of each token account, by mint. */
function changesOf({ preTokenBalances, postTokenBalances }: RpcMeta): Map<string, bigint[]> {
  const accounts = new Map<number, { mint: string; change: bigint }>()
  for (const [sign, balances] of [
    [-1n, preTokenBalances],
    [1n, postTokenBalances],
  ] as const)
    for (const { accountIndex, mint, uiTokenAmount } of balances ?? []) {
      const known = accounts.get(accountIndex) ?? { mint, change: 0n }
      known.change += sign * BigInt(uiTokenAmount.amount)
      accounts.set(accountIndex, known)
    }
  const changes = new Map<string, bigint[]>()
  for (const { mint, change } of accounts.values())
    changes.set(mint, [...(changes.get(mint) ?? []), change])
  return changes
}

test('default: every recorded transaction has the swaps that its pools made', () => {
  const counts = createSolanaDecodeCounts()
  expect(transactions.size).toBeGreaterThan(50)
  for (const [signature, transaction] of transactions) {
    const events = decodeSolanaTransactions([transaction], { counts })
    expect(swapsOf(events).map(textOf), signature).toEqual(swaps[signature])
    for (const { txHash, index } of events as DecodedSwap[]) {
      expect(txHash).toBe(signature)
      expect(index).toBeLessThan(events.length)
    }
  }
  expect(counts.malformed).toBe(0)
})

test('behavior: what pools gave and took is what the balances of their vaults changed by', () => {
  const unlike: string[] = []
  let compared = 0
  for (const [signature, transaction] of transactions) {
    const changes = changesOf(transaction.meta!)
    const sums = new Map<string, bigint>()
    for (const { pool, venues, tokens, amount0, amount1 } of swapsOf(
      decodeSolanaTransactions([transaction]),
    ))
      for (const [token, amount] of [
        [tokens![0], amount0],
        [tokens![1], amount1],
      ] as const) {
        const key = `${venues![0]} ${pool} ${token}`
        sums.set(key, (sums.get(key) ?? 0n) + amount)
      }
    for (const [key, sum] of sums) {
      const [venue, , token] = key.split(' ') as [string, string, string]
      compared++
      if (!changes.get(token)?.includes(sum)) unlike.push(`${signature.slice(0, 8)} ${venue}`)
    }
  }
  expect(compared).toBeGreaterThan(95)
  // Lamports of curves are in no token account. PumpSwap, LaunchLab and 1DEX pay fees from the
  // vault beside the amount, some tokens withhold a fee, and Meteora pays referrers.
  expect(unlike.toSorted()).toMatchInlineSnapshot(`
    [
      "27f6P1sV pumpSwap",
      "2RoRJxat pumpFun",
      "2RoRJxat pumpFun",
      "2iXhg16Y meteoraDlmm",
      "2s393PSY pumpFun",
      "2s393PSY pumpFun",
      "36Z5EJhm orcaWhirlpool",
      "36Z5EJhm orcaWhirlpool",
      "3TwHo76y pumpSwap",
      "3bYXWjjN pumpFun",
      "3hbMRnMK oneDex",
      "3hbuxW9j moonshot",
      "3ppcehQ8 meteoraDlmm",
      "3s8VMVAg raydiumLaunchLab",
      "4Q5xBVHJ raydiumLaunchLab",
      "4Q5xBVHJ raydiumLaunchLab",
      "53fG8Sh9 pumpFun",
      "5GBS79ci raydiumCpmm",
      "5KEMtQuv pumpFun",
      "5QBqQcPw meteoraDlmm",
      "7tY4PsLk oneDex",
      "AcrDzvio pumpSwap",
      "UnpVKhTh pumpSwap",
      "ZEu54dZe pumpFun",
      "gauADRJV pumpSwap",
    ]
  `)
})

test('behavior: without logs, or with truncated logs, transfers give the same swaps', () => {
  for (const [signature, transaction] of transactions) {
    const all = swapsOf(decodeSolanaTransactions([transaction])).map(textOf)
    const { logMessages } = transaction.meta!
    for (const kept of [0, 5, 20, 40]) {
      const cut = [...(logMessages ?? []).slice(0, kept), 'Log truncated']
      for (const logs of [cut, null]) {
        const meta = { ...transaction.meta!, logMessages: logs }
        const left = swapsOf(decodeSolanaTransactions([{ ...transaction, meta }])).map(textOf)
        expect(left, signature).toEqual(all)
      }
    }
  }
})

test('behavior: a failed transaction has no events', () => {
  const failed = [...transactions.values()].filter(({ meta }) => meta!.err !== null)
  expect(failed.length).toBeGreaterThan(2)
  expect(decodeSolanaTransactions(failed)).toEqual([])
  for (const transaction of transactions.values()) {
    const meta = { ...transaction.meta!, err: { InstructionError: [0, 'Custom'] } }
    expect(decodeSolanaTransactions([{ ...transaction, meta }])).toEqual([])
  }
})

test('behavior: events are numbered in the order of the block', () => {
  const all = [...transactions.values()]
  const place = { number: 9, hash: 'This', parentNumber: 7, parentHash: 'That' }
  const ref = { ...place, timeS: 1_790_000_000 }
  const decoded = decodeSolanaBlock({ ref, transactions: all })
  expect(decoded.ref).toBe(ref)
  const { events } = decoded
  const indexes = events.map(({ index }) => index)
  expect(indexes).toEqual(indexes.toSorted((a, b) => a - b))
  expect(events.length).toBe(
    all.reduce((sum, transaction) => sum + decodeSolanaTransactions([transaction]).length, 0),
  )
})

test('behavior: transactions from before calls had heights take them from the logs', () => {
  for (const [signature, transaction] of transactions) {
    const flat = {
      ...transaction,
      meta: {
        ...transaction.meta!,
        innerInstructions: (transaction.meta!.innerInstructions ?? []).map(
          ({ index, instructions }) => ({
            index,
            instructions: instructions.map(({ stackHeight: _, ...rest }) => rest),
          }),
        ),
      },
    } as RpcTransaction
    if (transaction.meta!.logMessages?.at(-1) === 'Log truncated') continue
    expect(decodeSolanaTransactions([flat]), signature).toEqual(
      decodeSolanaTransactions([transaction]),
    )
  }
})
