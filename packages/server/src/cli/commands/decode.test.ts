// Output of the command for real transactions, compared with their transfers, and for malformed
// input.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { encodeLog } from '../../../../../test/support/encodeLog.ts'
import { eventAbi } from '../../../../../test/support/eventAbi.ts'
import { createTestCli } from '../../../../../test/support/testCli.ts'
import type { EvmLog } from '../../model/evm/evmBlock.ts'
import { decodeFile } from '../../ops/decodeFile.ts'

type SwapSide = { token: string | null; amount: string }
type SwapLine = Parameters<Parameters<typeof decodeFile>[0]['onSwap']>[0]
type Receipt = { transactionHash: string; from: string; logs: EvmLog[] }

const folder = join(import.meta.dirname, '../../../../../test/fixtures/evmReceipts')
const files = readdirSync(folder)
const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Receipt
const native = `0x${'0'.repeat(40)}`
const transferTopics: readonly string[] = [
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
  '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65',
]

async function decode(args: string[], input = '') {
  const { code, out, err } = await createTestCli({ decodeFile }, input).run('decode', ...args)
  const lines = out === '' ? [] : out.trimEnd().split('\n')
  return { code, err, lines: lines.map((line) => JSON.parse(line) as SwapLine) }
}

/** Did the token move in exactly this amount, or in parts that add up to it? */
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

const spoofed = files.find((name) => name.startsWith('eth-0x53befd12'))!

test.each(files.filter((file) => file !== spoofed))('default: %s', async (file) => {
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
      // The native coin and pools inside a manager move without a log.
      if (side.token !== native && !isPassedOn(side, lines))
        expect(hasMoved(receipt, side)).toBe(true)
    }
  }
})

test('behavior: swaps forged by a phishing token are dropped and counted', async () => {
  expect(await decode(['--chain', 'eth', join(folder, spoofed)])).toEqual({
    code: 0,
    err: 'Skipped spoofed events of Uniswap V2, without a Sync and a transfer of their pair: 34.\n',
    lines: [],
  })
})

const isPassedOn = (side: SwapSide, lines: readonly SwapLine[]) =>
  lines.filter(({ sold, bought }) =>
    [sold, bought].some((one) => one.token === side.token && one.amount === side.amount),
  ).length > 1

test('behavior: trades of an order executed by a solver belong to its owner', async () => {
  const file = files.find((name) => name.startsWith('gnosis-0x024e1da9'))!
  const { lines } = await decode(['--chain', 'gnosis', join(folder, file)])
  const { from, logs: all } = read(file)
  const trade = '0xa07a543ab8a018198e99ca0184c93fe9050a79400a0a723441f84de1d972cc17'
  const owners = all.flatMap(({ topics }) =>
    topics[0] === trade ? `0x${topics[1]!.slice(26)}` : [],
  )
  expect(owners).toHaveLength(1)
  expect(owners).not.toContain(from)
  expect(new Set(lines.map(({ wallet }) => wallet))).toEqual(new Set(owners))
})

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
  tx: txHash,
  index: 6,
  venue: 'uniswapV2',
  pool: pool!,
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
    'logs and transactions, without receipts',
    {
      block: { transactions: [{ hash: txHash, from: trader, type: '0x7e', gasPrice: null }] },
      answer: { jsonrpc: '2.0', id: 2, result: logs },
    },
  ],
  [
    'calls that stand beside the receipt',
    {
      hash: txHash,
      from: trader,
      type: '0x4',
      authorizationList: [{ address: pool }],
      calls: [{ transactionHash: txHash, from: pool, to: token0 }],
      receipt: { transactionHash: txHash, logs, blobGasUsed: null, contractAddress: null },
    },
  ],
  [
    'fields as a database names them, and topics filled up to four',
    {
      transactions: [{ hash: txHash, from_address: trader }],
      logs: logs.map(({ transactionHash, logIndex, topics, ...one }) => ({
        ...one,
        transaction_hash: transactionHash,
        log_index: logIndex,
        topics: [...topics, null, null, null].slice(0, 4),
      })),
    },
  ],
  [
    'a transaction that failed beside it',
    [
      {
        transactionHash: `0x${'07'.repeat(32)}`,
        from: trader,
        status: '0x0',
        logs: logs.map((one) => ({ ...one, transactionHash: `0x${'07'.repeat(32)}` })),
      },
      { transactionHash: txHash, from: trader, status: '0x1', logs },
    ],
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

test('behavior: lines, and a compressed file', async () => {
  const receipt = { transactionHash: txHash, from: trader, logs }
  const other = `0x${'06'.repeat(32)}`
  // Has no transfers: the pool's tokens are known from the line before. The signer is unknown.
  const second = { transactionHash: other, logs: [{ ...logs[2], transactionHash: other }] }
  const text = `${JSON.stringify(receipt)}\n${JSON.stringify(second)}\n`
  const file = join(mkdtempSync(join(tmpdir(), 'decode-')), 'receipts.jsonl.gz')
  writeFileSync(file, gzipSync(text))
  const wanted = [line, { ...line, tx: other, wallet: null }]
  expect((await decode(['--chain', 'bsc', file])).lines).toEqual(wanted)
  expect((await decode(['--chain', 'bsc', '-'], text)).lines).toEqual(wanted)
})

test('behavior: any encoding of the text is read', async () => {
  const receipt = { transactionHash: txHash, from: trader, logs }
  const second = { ...receipt, transactionHash: `0x${'06'.repeat(32)}`, logs: [] }
  const inLines = [second, receipt].map((one) => JSON.stringify(one))
  const spread = [second, receipt].map((one) => JSON.stringify(one, null, 2))
  const texts = [inLines.join('\r\n'), `${spread.join('\n')}\n`, inLines.join(' ')]
  const zipped = Buffer.concat(inLines.map((one) => gzipSync(`${one}\n`)))
  const files = [
    ...texts.map((text) => Buffer.from(text)),
    ...texts.map((text) => Buffer.from(`\ufeff${text}`)),
    ...texts.map((text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
    ...[zipped, gzipSync(Buffer.from(`\ufeff${texts[0]}`))],
  ]
  const file = join(mkdtempSync(join(tmpdir(), 'decode-')), 'receipts')
  for (const bytes of files) {
    writeFileSync(file, bytes)
    expect(await decode(['--chain', 'eth', file])).toEqual({ code: 0, err: '', lines: [line] })
  }
})

test('behavior: answers of eth_getLogs, whole or line by line', async () => {
  const unsigned = [{ ...line, wallet: null }]
  const whole = JSON.stringify({ jsonrpc: '2.0', id: 1, result: logs })
  expect((await decode(['--chain', 'eth', '-'], whole)).lines).toEqual(unsigned)
  const lines = `\n${logs.map((one) => JSON.stringify(one)).join('\n')}\n\n`
  expect((await decode(['--chain', 'eth', '-'], lines)).lines).toEqual(unsigned)
  // Explorers write zero as "0x", and some leave the index out.
  const counted = logs.map(({ logIndex: _, ...one }, at) =>
    at > 0 ? one : { ...one, logIndex: '0x' },
  )
  expect((await decode(['--chain', 'eth', '-'], JSON.stringify(counted))).lines).toEqual([
    { ...line, index: 2, wallet: null },
  ])
})

test('behavior: senders of one line serve others, and unreadable lines are reported', async () => {
  const block = { result: { transactions: [{ hash: txHash, from: trader }] } }
  const receipts = { result: [{ logs: [null, ...logs], transactionIndex: '0x0' }] }
  const texts = [block, receipts].map((one) => JSON.stringify(one))
  expect(await decode(['--chain', 'eth', '-'], texts.join('\n'))).toEqual({
    code: 0,
    err: 'Skipped logs that cannot be read: 1.\n',
    lines: [line],
  })
})

test('behavior: facts about a pool from a later line serve earlier ones', async () => {
  const before = `0x${'04'.repeat(32)}`
  const first = { transactionHash: before, logs: [{ ...logs[2], transactionHash: before }] }
  const receipt = { transactionHash: txHash, from: trader, logs }
  const text = [first, receipt].map((one) => JSON.stringify(one)).join('\n')
  expect((await decode(['--chain', 'bsc', '-'], text)).lines).toEqual([
    { ...line, tx: before, wallet: null },
    line,
  ])
})

const [usdc, weth] = [
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
]

test.each([
  ['eth', eventAbi.swapV3, '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640', usdc, weth],
  ['eth', eventAbi.swapV2, '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc', usdc, weth],
  ['eth', eventAbi.swapV2, '0x397ff1542f962076d0bfe58ea045ffa2d347aca0', usdc, weth],
  [
    ...['polygon', eventAbi.swapV3, '0x45dda9cb7c25131df268515131f647d726f50608'],
    ...['0x2791bca1f2de4661ed88a30c99a7a9449aa84174', '0x7ceb23fd6bc0add59e62ac25578270cff1b9f619'],
  ],
  [
    ...['bsc', eventAbi.swapV2, '0x16b9a82891338f9ba80e2d6970fdda79d1eb0dae'],
    ...['0x55d398326f99059ff775485246999027b3197955', '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'],
  ],
  [
    ...['bsc', eventAbi.swapPancakeV3, '0x36696169c63e42cd08ce11f5deebbcebae652050'],
    ...['0x55d398326f99059ff775485246999027b3197955', '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'],
  ],
] as [string, string, string, string, string][])(
  'behavior: a pool of %s reveals its tokens by its address (%#)',
  async (chain, event, address, first, second) => {
    const amounts = { amount0In: 10n, amount1In: 0n, amount0Out: 0n, amount1Out: 7n }
    const state = { sqrtPriceX96: 1n << 96n, liquidity: 1n, tick: 0 }
    const fees = { protocolFeesToken0: 0n, protocolFeesToken1: 0n }
    const args = { sender: trader, to: trader, recipient: trader, amount0: 10n, amount1: -7n }
    const alone = [log(6, event, { ...args, ...amounts, ...state, ...fees }, address)]
    const { lines } = await decode(['--chain', chain, '-'], JSON.stringify({ result: alone }))
    expect(lines.map(({ sold, bought }) => [sold.token, bought.token])).toEqual([[first, second]])
  },
)

test('behavior: unknown tokens are null, and a receipt without swaps prints nothing', async () => {
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
  ['no logs at all, as eth_getLogs says', '{"result":[]}', 'DECODE_NO_LOGS'],
  ['logs of no transaction', JSON.stringify({ logs: bare }), 'name their transaction'],
  ['no JSON', '{"logs": [', 'DECODE_INPUT'],
  ['nothing at all', '\n', 'It is empty.'],
  ['more lists in one another than anybody would write', '['.repeat(200_000), 'DECODE_INPUT'],
  ['as many that end', `${'['.repeat(9_000)}${']'.repeat(9_000)}`, 'DECODE_NO_LOGS'],
])('error: %s', async (_, input, message) => {
  const { code, err } = await decode(['--chain', 'eth', '-'], input)
  expect(code).toBe(1)
  expect(err).toContain(message)
})

test('behavior: a bad line is counted', async () => {
  expect(await decode(['--chain', 'eth', '-'], '{"logs":[]}\nnope\n')).toEqual({
    code: 0,
    err: 'Skipped values that are not JSON: 1 (the first in line 2).\n',
    lines: [],
  })
})

test('behavior: a chain without a preset is decoded, with a note', async () => {
  for (const file of files) {
    const known = await decode(['--chain', chainOf(file), join(folder, file)])
    const unknown = await decode(['--chain', 'nochain', join(folder, file)])
    expect(unknown.lines, file).toEqual(known.lines)
    expect(unknown.err).toContain('nochain')
  }
  const receipt = JSON.stringify({ transactionHash: txHash, from: trader, logs })
  const { err } = await decode(['--chain', 'arbitrun', '-'], receipt)
  expect(err).toContain('Did you mean arbitrum?')
})

test('behavior: a chain goes by its id and by other names, too', async () => {
  const receipt = JSON.stringify({ transactionHash: txHash, from: trader, logs })
  for (const chain of ['1', '0x1', 'ethereum', 'Mainnet', 'arbitrum_one', '8453', 'matic'])
    expect(await decode(['--chain', chain, '-'], receipt)).toEqual({
      code: 0,
      err: '',
      lines: [line],
    })
})

test('error: a file that is not there', async () => {
  expect((await decode(['--chain', 'eth', '/nowhere/at/all.json'])).err).toContain(
    '/nowhere/at/all.json',
  )
})
