import { describe, expect, test } from 'vitest'
import { createLogger } from '../../../lib/logger.ts'
import type { EvmHeader, RawLog, RawReceipt } from '../fetch/rawBlock.ts'
import { bloomChars, createBloomIndex, withBits } from './bloom.ts'
import { createHashFormat } from './headerReader.ts'
import { type BlockParts, validateBlock } from './validateBlock.ts'

const index = createBloomIndex()
const word = (text: string) => `0x${text.repeat(64).slice(0, 64)}`
const [swap, sync, other] = [word('a1'), word('b2'), word('c3')]
const [pool, wallet] = [`0x${'d4'.repeat(20)}`, `0x${'e5'.repeat(20)}`]
const [blockHash, txHash] = [word('f6'), word('17')]

function bloomOf(logs: readonly RawLog[]): string {
  const bytes = new Uint8Array((bloomChars - 2) / 2)
  for (const { address, topics } of logs)
    for (const item of [address, ...topics])
      for (const bit of index.bitsOf(item)) bytes[bytes.length - 1 - (bit >> 3)]! |= 1 << (bit & 7)
  return `0x${Buffer.from(bytes).toString('hex')}`
}

const log = (logIndex: number, topic: string, changes: Partial<RawLog> = {}): RawLog => ({
  address: pool,
  topics: [topic],
  data: '0x',
  blockNumber: '0x9',
  blockHash,
  logIndex: `0x${logIndex.toString(16)}`,
  transactionHash: txHash,
  transactionIndex: '0x0',
  ...changes,
})

/** Validates a block with logs `all` of which the node reports only `told`. */
function validate(
  all: readonly RawLog[],
  told: readonly RawLog[],
  changes: Partial<BlockParts> = {},
  checks = {},
  watched?: ReadonlySet<string>,
) {
  const header: EvmHeader = {
    number: 9,
    hash: blockHash,
    parentHash: word('00'),
    timeS: 100,
    bloom: all.length === 0 ? null : bloomOf(all),
    receiptsRoot: null,
    isProven: false,
  }
  const transactions = [{ hash: txHash, from: wallet }]
  const parts = { header, logs: told, isComplete: true, transactions, receipts: null, ...changes }
  return validateBlock(parts, {
    receipts: null,
    checks: { bloom: true, transactions: true, logIndexes: true, ...checks },
    wanted: withBits([swap, sync], index),
    index,
    watched,
  })
}

const logs = [log(0, swap), log(1, sync), log(2, other)]
const wantedLogs = logs.slice(0, 2)

test('default: keeps wanted logs and their senders', () => {
  const { fault, block } = validate(logs, logs)
  expect(fault).toBeNull()
  expect(block!.ref).toEqual({
    number: 9,
    hash: blockHash,
    timeS: 100,
    parentNumber: 8,
    parentHash: word('00'),
  })
  expect(block!.logs.map(({ logIndex, topics }) => [logIndex, topics[0]])).toEqual([
    [0, swap],
    [1, sync],
  ])
  expect(block!.senders).toEqual(new Map([[txHash, wallet]]))
})

test('behavior: the milliseconds of its header go with the block', () => {
  const header = { number: 9, hash: blockHash, parentHash: word('00'), timeS: 100, timeMs: 100_400 }
  const rest = { bloom: null, receiptsRoot: null, isProven: false }
  const { block } = validate(logs, logs, { header: { ...header, ...rest } })
  expect(block!.ref).toMatchObject({ timeS: 100, timeMs: 100_400 })
})

test('behavior: everything is lower-case', () => {
  const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`
  const shouted = log(0, upper(swap), {
    address: upper(pool),
    blockHash: upper(blockHash),
    transactionHash: upper(txHash),
  })
  const { block } = validate([shouted], [shouted], {
    transactions: [{ hash: upper(txHash), from: upper(wallet) }],
  })
  expect(block!.logs[0]).toMatchObject({ address: pool, topics: [swap], transactionHash: txHash })
  expect([...block!.senders]).toEqual([[txHash, wallet]])
})

describe('error: contradictions', () => {
  test.each([
    ['another block hash', [log(0, swap, { blockHash: word('77') })]],
    ['another block number', [log(0, swap, { blockNumber: '0x8' })]],
    ['a log twice', [log(0, swap), log(0, swap)]],
    ['logs out of order', [log(1, swap), log(0, swap)]],
    ['a transaction that is elsewhere', [log(0, swap, { transactionIndex: '0x1' })]],
    ['another transaction', [log(0, swap, { transactionHash: word('88') })]],
    ['no address', [log(0, swap, { address: undefined as never })]],
    ['a topic cut short', [log(0, '0xa1')]],
    ['not a log', [null as never]],
  ])('behavior: %s', (_, told) => {
    const place = { number: 9, hash: blockHash, parentHash: word('00'), timeS: 1 }
    const header = { ...place, bloom: null, receiptsRoot: null, isProven: false }
    expect(validate([], told, { header }).fault).not.toBeNull()
  })

  test('behavior: a log that the filter does not hold', () => {
    const stranger = log(0, swap, { address: `0x${'99'.repeat(20)}` })
    expect(validate(logs, [stranger], { isComplete: false }).fault).toMatch('not in the block')
  })

  test('behavior: any log missing from all logs', () => {
    expect(validate(logs, logs.slice(1)).fault).toMatch('Log 0 is missing')
    expect(validate(logs, [logs[0]!, logs[2]!]).fault).toMatch('Log 1 is missing')
    expect(validate(logs, wantedLogs).fault).toMatch('filter promises')
    expect(validate(logs, []).fault).toMatch('filter promises')
  })

  test('behavior: receipts of another block, or too few', () => {
    const receipt: RawReceipt = { transactionHash: txHash, blockHash, from: wallet, logs }
    expect(validate(logs, logs, { receipts: [receipt] }).fault).toBeNull()
    expect(validate(logs, logs, { receipts: [] }).fault).toMatch('0 receipts for 1')
    const stranger = { ...receipt, blockHash: word('77') }
    expect(validate(logs, logs, { receipts: [stranger] }).fault).toMatch(
      'A receipt is of another block',
    )
  })
})

test('behavior: wanted logs alone are suspect when the filter promises more', () => {
  const suspicion = (told: readonly RawLog[]) => {
    const validated = validate(logs, told, { isComplete: false })
    expect(validated.fault).toBeNull()
    return validated.fault === null && validated.isSuspect
  }
  expect(suspicion(wantedLogs)).toBe(false)
  expect(suspicion([])).toBe(true)
  expect(suspicion([logs[0]!])).toBe(true)
})

test('args: checks that a chain is known to break', () => {
  const bloomless = { bloom: false }
  expect(validate(logs, wantedLogs, {}, bloomless).fault).toBeNull()
  expect(validate(logs, [logs[1]!], {}, bloomless).fault).toMatch('Log 0 is missing')
  expect(validate(logs, [logs[1]!], {}, { ...bloomless, logIndexes: false }).fault).toBeNull()
  const { block } = validate(logs, logs, { transactions: [] }, { transactions: false })
  expect(block!.senders.size).toBe(0)
  // One more receipt than transactions, as for logs emitted by the chain itself.
  const receipt: RawReceipt = { transactionHash: txHash, blockHash, from: wallet, logs }
  const more = { receipts: [receipt, receipt] }
  expect(validate(logs, logs, more).fault).toMatch('2 receipts for 1')
  expect(validate(logs, logs, more, { transactions: false }).fault).toBeNull()
})

test('behavior: a block without receipts does not teach how a chain hashes them', () => {
  const receipts = createHashFormat({
    chain: 'x',
    what: 'receipts',
    isListed: false,
    logger: createLogger('silent'),
  })
  const block = (told: readonly RawReceipt[], receiptsRoot: string) =>
    validateBlock(
      {
        header: {
          ...{ number: 9, hash: blockHash, parentHash: word('00'), timeS: 100, bloom: null },
          ...{ receiptsRoot, isProven: true },
        },
        logs: [],
        isComplete: true,
        transactions: told.map(({ transactionHash, from }) => ({ hash: transactionHash, from })),
        receipts: told,
      },
      {
        ...{ receipts, wanted: withBits([swap], index), index },
        checks: { bloom: true, transactions: true, logIndexes: true },
      },
    )
  const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
  expect(block([], emptyRoot)).toMatchObject({ fault: null, isProven: true })
  const receipt: RawReceipt = {
    ...{ transactionHash: txHash, blockHash, from: wallet, logs: [] },
    ...{ status: '0x1', cumulativeGasUsed: '0x5208', logsBloom: `0x${'00'.repeat(256)}` },
  }
  // A root computed by another format.
  expect(block([receipt], word('5e'))).toMatchObject({ fault: null, isProven: false })
})

test('behavior: other logs of a known contract are noted, those of others are not', () => {
  const told = [log(0, swap), log(1, other), log(2, other, { address: wallet })]
  expect(validate(told, told).block).not.toHaveProperty('unclaimed')
  const watched = new Set([pool])
  expect(validate(told, told, {}, {}, watched).block).toMatchObject({
    logs: [{ topics: [swap] }],
    unclaimed: [{ address: pool, topic: other }],
  })
})
