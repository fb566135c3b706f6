// Answers to getBlock, put together from recorded transactions in all shapes that nodes use.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import {
  type RecordedTransaction,
  recordedSwaps,
  recordedTransactions,
} from '../../../../../test/support/solana/recorded.ts'
import { toParsed } from '../../../../../test/support/solana/toParsed.ts'
import { toWire } from '../../../../devnet/src/solana/toWire.ts'
import { keyOf, TransactionBuilder } from '../../../../devnet/src/solana/transactionBuilder.ts'
import {
  createSolanaDecodeCounts,
  decodeSolanaTransactions,
} from '../../decode/solana/decodeSolanaBlock.ts'
import { encodeBase58 } from '../../lib/bytes/base58.ts'
import { isRpcTransaction } from '../../model/solana/isRpcTransaction.ts'
import type { RpcTransaction } from '../../model/solana/rpcTransaction.ts'
import { knownSolanaVenues } from '../../venues/solana/venues.ts'
import { describeSwaps } from './describeSwaps.ts'
import { findTransactions } from './findTransactions.ts'

const recorded = recordedTransactions()
const swaps = recordedSwaps()

const errors = [
  'AccountNotFound',
  { InstructionError: [1, { Custom: 6_001 }] },
  { InstructionError: [0, 'ProgramFailedToComplete'] },
  { InsufficientFundsForRent: { account_index: 2 } },
  { DuplicateInstruction: 3 },
]

/** Fields that nodes leave out or add without a change of meaning. */
const shapes: Readonly<Record<string, (told: RecordedTransaction) => RecordedTransaction>> = {
  asItWas: (told) => told,
  withoutLogs: (told) => withMeta(told, { logMessages: null }),
  cutLogs: (told) =>
    withMeta(told, {
      logMessages: [...(told.meta!.logMessages ?? []).slice(0, 12), 'Log truncated'],
    }),
  withoutHeights: (told) =>
    withMeta(told, {
      innerInstructions: (told.meta!.innerInstructions ?? []).map(({ index, instructions }) => ({
        index,
        instructions: instructions.map((one) => ({ ...one, stackHeight: null })),
      })),
    }),
  withRewards: (told) =>
    withMeta(told, { rewards: [{ pubkey: keyOf('leader'), lamports: 5_000, rewardType: 'Fee' }] }),
}

function withMeta(told: RecordedTransaction, changed: object): RecordedTransaction {
  return { ...told, meta: { ...told.meta!, ...changed } }
}

const encodings: Readonly<Record<string, (told: RecordedTransaction) => unknown>> = {
  json: (told) => told,
  base64: (told) => ({ ...told, transaction: toWire(told) }),
  base58: (told) => {
    const bytes = Buffer.from(toWire(told)[0], 'base64')
    return { ...told, transaction: [encodeBase58(bytes), 'base58'] }
  },
  jsonParsed: toParsed,
}

/** One transaction of a block: recorded, of unknown programs, failed, or without its metadata. */
type Part = { told: RecordedTransaction; expected: readonly (readonly string[])[] }

const unknown: Part = { told: foreign(), expected: [] }

function foreign(): RecordedTransaction {
  const builder = new TransactionBuilder(keyOf('somebody'))
  builder.open(keyOf('one'), keyOf('mint'), keyOf('somebody'), 9_000n)
  builder.open(keyOf('other'), keyOf('mint'), keyOf('anybody'), 9_000n)
  builder.call(keyOf('a program of its own'), [keyOf('one'), keyOf('other')], Buffer.of(9), () =>
    builder.transfer(keyOf('one'), keyOf('other'), keyOf('somebody'), 77n),
  )
  return builder.build() as RecordedTransaction
}

const part: fc.Arbitrary<Part> = fc
  .record({
    chosen: fc.constantFrom(...recorded),
    shape: fc.constantFrom(...Object.values(shapes)),
    fate: fc.constantFrom('ran', 'ran', 'ran', 'ran', 'failed', 'unknown'),
    err: fc.constantFrom(...errors),
  })
  .map(({ chosen: [signature, told], shape, fate, err }) => {
    if (fate === 'unknown') return unknown
    const shaped = shape(told)
    if (fate === 'failed') return { told: withMeta(shaped, { err }), expected: [] }
    return { told: shaped, expected: swaps[signature]! }
  })

function answerOf(transactions: readonly unknown[]): object {
  const place = { blockHeight: 7, blockTime: 1_790_000_000, parentSlot: 9 }
  const hashes = { blockhash: keyOf('hash'), previousBlockhash: keyOf('parent') }
  const rewards = [{ pubkey: keyOf('leader'), lamports: 9, postBalance: 10, rewardType: 'Fee' }]
  return { jsonrpc: '2.0', id: 1, result: { ...place, ...hashes, rewards, transactions } }
}

test.each(Object.entries(encodings))(
  'behavior: a whole block in the encoding %s has the swaps of each of its transactions, in order',
  (_, encode) => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const transactions = parts.map(({ told }) => encode(told))
        // Nodes kept only the signed part of some transactions.
        transactions.splice(1, 0, { ...(encode(unknown.told) as object), meta: null })
        const groups = findTransactions(JSON.parse(JSON.stringify(answerOf(transactions)))) ?? []
        const lines = groups.flatMap((group) =>
          describeSwaps(group, knownSolanaVenues, () => undefined),
        )
        expect(
          lines.map(({ venue, pool, sold, bought, wallet }) => [
            ...[venue, pool, sold.token, sold.amount, bought.token, bought.amount, wallet],
          ]),
        ).toEqual(parts.flatMap(({ expected }) => expected))
        expect(lines.map(({ index }) => index)).toEqual(lines.map((_, index) => index))
      }),
      { numRuns: 25 },
    )
  },
)

test.each(['json', 'base64', 'base58'])(
  'behavior: events of a block in the encoding %s are those of its transactions one by one',
  (encoding) => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const transactions = parts.map(({ told }) => encodings[encoding]!(told) as RpcTransaction)
        expect(transactions.every(isRpcTransaction)).toBe(true)
        const holders = { sharedOwners: new Set<string>() }
        const counts = createSolanaDecodeCounts()
        const all = decodeSolanaTransactions(transactions, { holders, counts })
        let next = 0
        const alone = transactions.flatMap((one) => {
          const own = decodeSolanaTransactions([one], { holders })
          const moved = own.map((event) => ({ ...event, index: event.index + next }))
          const marketEvents = own.filter(({ type }) => type !== 'balance')
          next += (marketEvents.at(-1)?.index ?? -1) + 1
          return moved
        })
        expect(all).toEqual(alone)
        expect(counts.malformed).toBe(0)
      }),
      { numRuns: 25 },
    )
  },
)

/** Paths in a transaction, by names and numbers from its root. */
function placesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [
    path,
    ...Object.entries(value).flatMap(([name, child]) => placesOf(child, [...path, name])),
  ]
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by
  if (Array.isArray(value))
    return value.map((child, at) => (`${at}` === name ? replaced(child, rest, by) : child))
  const fields = value as Record<string, unknown>
  return { ...fields, [name]: replaced(fields[name], rest, by) }
}

test('behavior: whatever a node returns, every transaction found can be decoded', () => {
  const junk = fc.constantFrom<unknown>(
    ...[null, undefined, '', 'x', 0, -1, 1.5, 1e30, true, [], {}, [[]], [null], [{}], '0x12', '-5'],
  )
  const told = [...recorded.values()]
  const inBytes = told.map((one) => ({ ...one, transaction: toWire(one) }))
  const wholes = [...told, ...inBytes].map((whole) => ({ whole, places: placesOf(whole) }))
  let refused = 0
  fc.assert(
    fc.property(fc.constantFrom(...wholes), fc.nat(), junk, ({ whole, places }, at, by) => {
      const changed = replaced(whole, places[at % places.length]!, by)
      if (!isRpcTransaction(changed)) refused++
      else decodeSolanaTransactions([changed], { holders: { sharedOwners: new Set() } })
    }),
    { numRuns: propertyRuns(1_000, { isCheap: true }) },
  )
  expect(refused).toBeGreaterThan(50)
})
