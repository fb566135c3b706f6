import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { recordedTransactions } from '../../../../../test/support/solana/recorded.ts'
import { toWire } from '../../../../devnet/src/solana/toWire.ts'
import { encodeBase58 } from '../../lib/bytes/base58.ts'
import { KeySet } from '../../lib/bytes/keySet.ts'
import type { RpcInstruction, RpcTransaction } from '../../model/solana/rpcTransaction.ts'
import { decodeSolanaTransactions } from './decodeSolanaBlock.ts'
import { mayNameKey, readWireHead, readWireInstructions } from './readWireMessage.ts'

const transactions = [...recordedTransactions().values()]

function readWire(bytes: Buffer) {
  const head = readWireHead(bytes)
  return head && readWireInstructions(head)
}

test('behavior: the encodings json and base64 of a transaction are read alike', () => {
  const versions = new Set<unknown>()
  for (const transaction of transactions) {
    versions.add(transaction.version)
    const inBytes: RpcTransaction = { ...transaction, transaction: toWire(transaction) }
    expect(decodeSolanaTransactions([inBytes])).toEqual(decodeSolanaTransactions([transaction]))
  }
  expect([...versions]).toEqual(expect.arrayContaining(['legacy', 0, 1]))
})

test('behavior: bytes of no or half a transaction decode to nothing', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      readWire(Buffer.from(bytes))
    }),
  )
  const wires = transactions.map((transaction) => Buffer.from(toWire(transaction)[0], 'base64'))
  fc.assert(
    fc.property(
      fc.constantFrom(...wires),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      (wire, part) => {
        const cut = wire.subarray(0, Math.floor(wire.length * part))
        expect(readWire(cut)).toBeNull()
      },
    ),
  )
})

test('behavior: no key of a transaction is overlooked in its text, and hardly another one is taken for it', () => {
  let taken = 0
  for (const transaction of transactions) {
    const [text] = toWire(transaction)
    const { keys } = readWireHead(Buffer.from(text, 'base64'))!
    for (let nth = 0; nth < keys.count; nth++) {
      const key = keys.bytes.subarray(keys.at + nth * 32, keys.at + nth * 32 + 32)
      expect(mayNameKey(text, new KeySet([key]))).toBe(true)
    }
    // The same bytes at a place that is not a key.
    const beside = keys.bytes.subarray(keys.at + 7, keys.at + 39)
    if (mayNameKey(text, new KeySet([beside]))) taken++
  }
  expect(taken).toBeLessThan(3)
})

/** Replaces one part of an instruction. */
const damage = fc.oneof(
  fc.nat({ max: 300 }).map((length) => ({ type: 'dataCut', length }) as const),
  fc.uint8Array({ maxLength: 60 }).map((tail) => ({ type: 'dataTail', tail }) as const),
  fc.nat({ max: 30 }).map((count) => ({ type: 'accountsCut', count }) as const),
  fc.nat({ max: 255 }).map((account) => ({ type: 'account', account }) as const),
  fc.constant({ type: 'notBase58' } as const),
  fc.integer({ min: 0, max: 6 }).map((height) => ({ type: 'height', height }) as const),
)

function damaged(
  instruction: RpcInstruction,
  how: typeof damage extends fc.Arbitrary<infer t> ? t : never,
): RpcInstruction {
  const { data, accounts } = instruction
  if (how.type === 'dataCut') return { ...instruction, data: data.slice(0, how.length) }
  if (how.type === 'dataTail')
    return { ...instruction, data: data.slice(0, 8) + encodeBase58(how.tail) }
  if (how.type === 'accountsCut') return { ...instruction, accounts: accounts.slice(0, how.count) }
  if (how.type === 'account') return { ...instruction, accounts: accounts.map(() => how.account) }
  if (how.type === 'height') return { ...instruction, stackHeight: how.height }
  return { ...instruction, data: '0OIl' }
}

test('behavior: decoding returns for any transaction', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...transactions.filter(({ meta }) => meta!.err === null)),
      ...[fc.nat({ max: 60 }), damage, fc.nat({ max: 80 })],
      (transaction, at, how, logsKept) => {
        let seen = 0
        const meta = transaction.meta!
        const innerInstructions = (meta.innerInstructions ?? []).map(({ index, instructions }) => ({
          index,
          instructions: instructions.map((one) =>
            seen++ === at ? damaged(one, how as never) : one,
          ),
        }))
        const logMessages = (meta.logMessages ?? []).slice(logsKept as number)
        const changed = { ...transaction, meta: { ...meta, innerInstructions, logMessages } }
        for (const event of decodeSolanaTransactions([changed as RpcTransaction]))
          if (event.type === 'swap') expect(event.amount0 * event.amount1).toBeLessThan(0n)
      },
    ),
    { numRuns: propertyRuns(500, { isCheap: true }) },
  )
})
