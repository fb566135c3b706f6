// Partly malformed input of `chaintape decode`: the rest is decoded, and each kind of fault is
// counted once on standard error.
import { expect, test } from 'vitest'
import { recordedSwaps, recordedTransactions } from '../../../../test/support/solana/recorded.ts'
import { toParsed } from '../../../../test/support/solana/toParsed.ts'
import { toWire } from '../../../devnet/src/solana/toWire.ts'
import type { RpcTransaction } from '../model/solana/rpcTransaction.ts'
import type { SwapSummary } from '../model/swapLine.ts'
import { decodeFile } from './decodeFile.ts'

const transactions = recordedTransactions()
const swaps = recordedSwaps()
const [good, transaction] = [...transactions].find(([signature]) => swaps[signature]!.length > 0)!
const goodSwaps = swaps[good]!.length
const loaded = [...transactions.values()].find(
  ({ meta }) => meta!.loadedAddresses?.writable.length,
)!

async function decode(input: string, chain = 'solana') {
  const [lines, notes] = [[] as SwapSummary[], [] as string[]]
  await decodeFile({
    chain,
    source: '-',
    readInput: async () => Buffer.from(input),
    onNote: (text) => notes.push(text),
    onSwap: (line) => lines.push(line),
  })
  return { lines, notes }
}

/** A copy of the input whose fields a test replaces with any JSON value. */
// biome-ignore lint/suspicious/noExplicitAny: a test writes what no type allows.
type Copy = any

/** Returns the transaction as JSON after `change` modified a copy. */
function changed(change: (copy: Copy) => void, from: RpcTransaction = transaction): object {
  const copy = structuredClone(from)
  change(copy)
  return copy
}

const balance = (fields: object) =>
  changed(({ meta }) => Object.assign(meta.postTokenBalances[0], fields))

const wire = (text: unknown, encoding: string, from = transaction) => ({
  ...from,
  transaction: [text, encoding],
})

const [bytes] = toWire(transaction)
const malformed = 'malformed transactions'

test.each<[string, object, string]>([
  ['a balance without an amount', balance({ uiTokenAmount: null }), malformed],
  [
    'an amount with a sign and an exponent',
    balance({ uiTokenAmount: { amount: '-12.5e3' } }),
    malformed,
  ],
  [
    'inner instructions that are an object',
    changed(({ meta }) => (meta.innerInstructions = { 0: 1 })),
    malformed,
  ],
  ['a log that is null', changed(({ meta }) => (meta.logMessages = [null])), malformed],
  [
    'words without their facts',
    changed(({ transaction }) => {
      transaction.message.instructions[0] = { programId: 'x', parsed: { type: 'transfer' } }
    }, toParsed(transaction) as RpcTransaction),
    malformed,
  ],
  [
    'a word that every object has',
    changed(({ transaction }) => {
      transaction.message.instructions[0] = {
        programId: 'x',
        parsed: { type: 'constructor', info: {} },
      }
    }, toParsed(transaction) as RpcTransaction),
    malformed,
  ],
  [
    'base64 of zstd',
    wire(bytes, 'base64+zstd'),
    'transactions in an unknown encoding (ask for json, jsonParsed, base64 or base58)',
  ],
  ['bad base64', wire(`${bytes}?!`, 'base64'), 'transactions that are not valid base64 or base58'],
  ['bad base58', wire('0OIl', 'base58'), 'transactions that are not valid base64 or base58'],
  [
    'cut bytes',
    wire(bytes.slice(0, 400), 'base64'),
    'transactions whose bytes are cut or not a transaction',
  ],
  [
    'bad base58 of an instruction',
    changed(({ transaction }) => (transaction.message.instructions[0].data = '0OIl')),
    'transactions with instruction data that is not base58',
  ],
  [
    'version 0 without its lookup tables',
    changed(({ meta }) => delete meta.loadedAddresses, loaded),
    'transactions without the accounts of their lookup tables (loadedAddresses)',
  ],
  [
    'the same in bytes',
    changed(({ meta }) => delete meta.loadedAddresses, {
      ...loaded,
      transaction: toWire(loaded),
    } as RpcTransaction),
    'transactions without the accounts of their lookup tables (loadedAddresses)',
  ],
  [
    'an account out of range',
    changed(({ transaction, meta }) => {
      transaction.message.instructions[0].accounts = [250]
      meta.loadedAddresses ??= { writable: [], readonly: [] }
    }),
    'transactions with account indexes out of range',
  ],
])('behavior: counts %s and decodes the rest', async (_, bad, what) => {
  const block = { parentSlot: 1, blockhash: 'a', transactions: [bad, transaction, bad] }
  const { lines, notes } = await decode(JSON.stringify(block))
  expect(lines).toHaveLength(goodSwaps)
  expect(notes).toEqual([`Skipped ${what}: 2.`])
})

test('behavior: skips 200,000 nested lists', async () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000)
  const solana = await decode(`${deep}\n${JSON.stringify(transaction)}`)
  expect(solana.lines).toHaveLength(goodSwaps)
  expect(solana.notes).toEqual(['Skipped values nested deeper than 100 levels: 1.'])
  const evm = await decode(`${deep}\n${JSON.stringify(receipt)}`, 'eth')
  expect(evm.lines).toHaveLength(1)
  expect(evm.notes).toEqual(['Skipped values nested deeper than 100 levels: 1.'])
})

test('behavior: skips a bad line and decodes the others', async () => {
  const line = JSON.stringify(transaction)
  const { lines, notes } = await decode(`${line.slice(0, 500)}\n${line}\nnope\n`)
  expect(lines).toHaveLength(goodSwaps)
  expect(notes).toEqual(['Skipped values that are not JSON: 2 (the first in line 1).'])
  const evm = await decode(`{"logs":[\n${JSON.stringify(receipt)}`, 'eth')
  expect(evm.lines).toHaveLength(1)
  expect(evm.notes).toEqual(['Skipped values that are not JSON: 1 (the first in line 1).'])
})

test('behavior: prints a swap that appears twice once', async () => {
  const line = JSON.stringify(transaction)
  expect((await decode(`${line}\n${line}`)).lines).toHaveLength(goodSwaps)
  const inBlock = JSON.stringify({ transactions: [transaction] })
  expect((await decode(`${inBlock}\n${line}`)).lines).toHaveLength(goodSwaps)
  const text = JSON.stringify(receipt)
  expect((await decode(`${text}\n${text}`, 'eth')).lines).toHaveLength(1)
  // Logs of one receipt that arrive separately are all printed.
  const parts = receipt.logs.map((log) => JSON.stringify({ ...receipt, logs: [log] }))
  expect((await decode(parts.join('\n'), 'eth')).lines).toHaveLength(1)
})

const word = (value: bigint | string) => value.toString(16).padStart(64, '0')
const topicOf = (digit: string) => `0x${digit.repeat(40).padStart(64, '0')}`
const pool = `0x${'a'.repeat(40)}`
const transactionHash = `0x${'1'.repeat(64)}`
// A `Swap` event of Uniswap V3.
const swap = {
  address: pool,
  topics: [
    '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
    topicOf('b'),
    topicOf('b'),
  ],
  data: `0x${word(500n)}${'f'.repeat(62)}00${word(1n << 96n)}${word(1_000n)}${word(0n)}`,
  logIndex: '0x1',
  transactionHash,
}
const receipt = { transactionHash, status: '0x1', from: `0x${'c'.repeat(40)}`, logs: [swap] }

test('behavior: counts a swap log with truncated data', async () => {
  const cut = { ...swap, logIndex: '0x2', data: swap.data.slice(0, 200) }
  const { lines, notes } = await decode(JSON.stringify({ ...receipt, logs: [swap, cut] }), 'eth')
  expect(lines).toHaveLength(1)
  expect(notes).toEqual(['Skipped logs of known events with malformed data: 1.'])
})

test('behavior: skips nothing of real transactions', async () => {
  for (const [signature, transaction] of transactions) {
    const { notes } = await decode(JSON.stringify(transaction))
    expect(notes, signature).toEqual([])
    expect((await decode(JSON.stringify(toParsed(transaction)))).notes, signature).toEqual([])
  }
})
