// What the command prints of real transactions, held against the transfers in them, and of whatever else it may be given.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { encodeLog } from '../../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../../test/support/eventAbi.ts'
import { cliOf } from '../../../../test/support/fakeCli.ts'
import { decodeFile } from '../app/decodeFile.ts'
import type { EvmLog } from '../model/evm/evmBlock.ts'

type SwapSide = { token: string | null; amount: string }
type SwapLine = Parameters<Parameters<typeof decodeFile>[0]['onSwap']>[0]
type Receipt = { transactionHash: string; from: string; logs: EvmLog[] }

const folder = join(import.meta.dirname, '../../../../test/fixtures/evmReceipts')
const files = readdirSync(folder)
const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Receipt
const native = `0x${'0'.repeat(40)}`
const transferTopics: readonly string[] = [
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
  '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65',
]

async function decode(args: string[], input = '') {
  const { code, out, err } = await cliOf({ decodeFile }, input).run('decode', ...args)
  const lines = out === '' ? [] : out.trimEnd().split('\n')
  return { code, err, lines: lines.map((line) => JSON.parse(line) as SwapLine) }
}

/** Did the token move in this very amount, or in parts that make it up? */
function hasMoved({ logs }: Receipt, { token, amount }: SwapSide): boolean {
  const moves = logs.filter(
    ({ address, topics }) => address === token && transferTopics.includes(topics[0]!),
  )
  const amounts = moves.map(({ data }) => BigInt(data.slice(0, 66)))
  return (
    amounts.includes(BigInt(amount)) ||
    amounts.some((one, i) => amounts.slice(i + 1).some((other) => one + other === BigInt(amount)))
  )
}

const chainOf = (file: string) => file.split('-')[0]!

test.each(files)('default: %s', async (file) => {
  const receipt = read(file)
  const { lines, code } = await decode(['--chain', chainOf(file), join(folder, file)])
  expect(code).toBe(0)
  expect(lines.length).toBeGreaterThan(0)
  expect(new Set(lines.map(({ index }) => index)).size).toBe(lines.length)
  for (const line of lines) {
    expect(line).toMatchObject({ tx: receipt.transactionHash, pool: expect.stringMatching(/^0x/) })
    for (const side of [line.sold, line.bought]) {
      expect(side.amount).toMatch(/^[1-9]\d*$/)
      expect(side.token).toMatch(/^0x[0-9a-f]{40}$/)
      // The native coin moves without a log, and pools inside a manager pay one another without any.
      if (side.token !== native && !isPassedOn(side, lines))
        expect(hasMoved(receipt, side)).toBe(true)
    }
  }
})

const isPassedOn = (side: SwapSide, lines: readonly SwapLine[]) =>
  lines.filter(({ sold, bought }) =>
    [sold, bought].some((one) => one.token === side.token && one.amount === side.amount),
  ).length > 1

const [token0, token1, pool, trader] = ['11', '22', 'aa', '77'].map(
  (byte) => `0x${byte.repeat(20)}`,
)
const txHash = `0x${'05'.repeat(32)}`
const log = (logIndex: number, event: string, args: object, address: string) =>
  encodeLog(event, args as never, { logIndex, address, transactionHash: txHash })
const logs = [
  log(4, eventAbi.transfer, { from: trader, to: pool, value: 10n }, token0!),
  log(5, eventAbi.transfer, { from: pool, to: trader, value: 7n }, token1!),
  log(
    6,
    eventAbi.swapV2,
    { sender: trader, to: trader, amount0In: 10n, amount1In: 0n, amount0Out: 0n, amount1Out: 7n },
    pool!,
  ),
]
const bare = logs.map(({ transactionHash: _, ...rest }) => rest)
const line: SwapLine = {
  ...{ tx: txHash, index: 6, venue: 'uniswapV2', pool: pool! },
  sold: { token: token0!, amount: '10' },
  bought: { token: token1!, amount: '7' },
  wallet: trader!,
}

test.each([
  ['a receipt', { transactionHash: txHash, from: trader, logs }],
  ['receipts', [{ transactionHash: txHash, from: trader, logs: bare }]],
  [
    'an answer of a node',
    { jsonrpc: '2.0', id: 1, result: [{ transactionHash: txHash, from: trader, logs }] },
  ],
  [
    'a transaction and its receipt',
    { tx: { hash: txHash, from: trader }, receipt: { logs: bare } },
  ],
  [
    'a block with receipts',
    {
      block: { hash: `0x${'99'.repeat(32)}`, transactions: [{ hash: txHash, from: trader }] },
      receipts: [{ logs }],
    },
  ],
  [
    'transactions with receipts inside',
    { data: { txs: [{ hash: txHash, from: trader, receipt: { logs: bare } }] } },
  ],
  [
    'numbers as decimals',
    {
      transactionHash: txHash,
      from: trader,
      logs: logs.map((one) => ({ ...one, logIndex: String(one.logIndex) })),
    },
  ],
  [
    'numbers as hex',
    {
      transactionHash: txHash,
      from: trader,
      logs: logs.map((one) => ({ ...one, logIndex: `0x${one.logIndex.toString(16)}` })),
    },
  ],
  [
    'upper case',
    JSON.parse(
      JSON.stringify({ transactionHash: txHash, from: trader, logs }).replace(
        /0xa{40}/g,
        `0x${'AA'.repeat(20)}`,
      ),
    ),
  ],
  [
    'the same twice',
    {
      receipts: [{ transactionHash: txHash, from: trader, logs }],
      transactions: [{ hash: txHash, from: trader, receipt: { logs } }],
    },
  ],
])('behavior: %s', async (_, value) => {
  const text = JSON.stringify(value)
  for (const input of [text, JSON.stringify(value, null, 2)])
    expect((await decode(['--chain', 'eth', '-'], input)).lines).toEqual([line])
})

test('behavior: lines, and a file that is compressed', async () => {
  const receipt = { transactionHash: txHash, from: trader, logs }
  const other = `0x${'06'.repeat(32)}`
  // Without transfers of its own: the pool's tokens are known from the line before. Nobody says who signed.
  const second = { transactionHash: other, logs: [{ ...logs[2], transactionHash: other }] }
  const text = `${JSON.stringify(receipt)}\n${JSON.stringify(second)}\n`
  const file = join(mkdtempSync(join(tmpdir(), 'decode-')), 'receipts.jsonl.gz')
  writeFileSync(file, gzipSync(text))
  const wanted = [line, { ...line, tx: other, wallet: null }]
  expect((await decode(['--chain', 'bsc', file])).lines).toEqual(wanted)
  expect((await decode(['--chain', 'bsc', '-'], text)).lines).toEqual(wanted)
})

test('behavior: tokens that nothing tells are null, and a receipt without swaps prints nothing', async () => {
  const alone = { transactionHash: txHash, from: trader, logs: [logs[2]] }
  expect((await decode(['--chain', 'eth', '-'], JSON.stringify(alone))).lines).toEqual([
    { ...line, sold: { token: null, amount: '10' }, bought: { token: null, amount: '7' } },
  ])
  const empty = { transactionHash: txHash, from: trader, logs: [] }
  expect(await decode(['--chain', 'eth', '-'], JSON.stringify(empty))).toEqual({
    code: 0,
    err: '',
    lines: [],
  })
})

test.each([
  ['no logs', '{"result":null}', 'DECODE_NO_LOGS'],
  ['no JSON', '{"logs": [', 'DECODE_INPUT'],
  ['a bad line', '{"logs":[]}\nnope\n', 'Line 2 is not JSON.'],
])('error: %s', async (_, input, message) => {
  const { code, err } = await decode(['--chain', 'eth', '-'], input)
  expect(code).toBe(1)
  expect(err).toContain(message)
})

test('behavior: a chain without a preset is decoded as any other, and said to be', async () => {
  for (const file of files) {
    const known = await decode(['--chain', chainOf(file), join(folder, file)])
    const unknown = await decode(['--chain', 'nochain', join(folder, file)])
    expect(unknown.lines.map(({ index, venue }) => [index, venue])).toEqual(
      known.lines.map(({ index, venue }) => [index, venue]),
    )
    expect(unknown.err).toContain('nochain')
  }
})

test('error: a file that is not there', async () => {
  expect((await decode(['--chain', 'eth', '/nowhere/at/all.json'])).err).toContain(
    '/nowhere/at/all.json',
  )
})
