// Arbitrary JSON in place of a block, its logs or receipts yields a block or a fault, and never
// throws. The same holds for real parts with one field replaced by junk, and a resulting block only
// has logs of that block.
import fc from 'fast-check'
import { test } from 'vitest'
import { propertyRuns } from '../../../../../../test/support/propertyRuns.ts'
import { partsOf } from '../fetch/fetchBlock.ts'
import { parseHeader, type RawBlock } from '../fetch/rawBlock.ts'
import { createBloomIndex, withBits } from './bloom.ts'
import { validateBlock } from './validateBlock.ts'

const word = (text: string) => `0x${text.repeat(64).slice(0, 64)}`
const [topic, hash, txHash] = [word('a1'), word('f6'), word('17')]
const index = createBloomIndex()
const validation = {
  checks: { bloom: true, transactions: true, logIndexes: true },
  wanted: withBits([topic], index),
  index,
  receipts: null,
}

const log = {
  address: `0x${'d4'.repeat(20)}`,
  topics: [topic],
  data: '0x',
  blockNumber: '0x9',
  blockHash: hash,
  logIndex: '0x0',
  transactionHash: txHash,
  transactionIndex: '0x0',
}
const receipt = { transactionHash: txHash, blockHash: hash, from: log.address, logs: [log] }
const block = {
  number: '0x9',
  hash,
  parentHash: word('00'),
  timestamp: '0x64',
  transactions: [{ hash: txHash, from: log.address }],
}

function read(raw: unknown, listed: unknown, isReceipts: boolean) {
  const header = parseHeader(raw)
  if (header === null) return null
  return validateBlock(partsOf(raw as RawBlock, header, listed, isReceipts), validation)
}

const withJunk = (base: object) =>
  fc
    .tuple(fc.constantFrom(...Object.keys(base)), fc.jsonValue())
    .map(([key, junk]) => ({ ...base, [key]: junk }))

test('behavior: any JSON is a block, a fault or nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.boolean(), (raw, listed, isReceipts) => {
      read(raw, listed, isReceipts)
      read(block, listed, isReceipts)
      read(block, [listed], isReceipts)
      read(raw, [log], isReceipts)
    }),
    { numRuns: propertyRuns(2_000) },
  )
})

test('behavior: one field of junk', () => {
  fc.assert(
    fc.property(withJunk(block), withJunk(log), withJunk(receipt), (raw, badLog, badReceipt) => {
      for (const [from, listed, isReceipts] of [
        [raw, [log], false],
        [block, [badLog], false],
        [block, [badReceipt], true],
        [block, [{ ...receipt, logs: [badLog] }], true],
      ] as const) {
        const validated = read(from, listed, isReceipts)
        if (!validated?.block) continue
        const { logs, senders } = validated.block
        if (!logs.every(({ transactionHash }) => senders.has(transactionHash))) return false
      }
      return true
    }),
    { numRuns: propertyRuns(5_000) },
  )
})
