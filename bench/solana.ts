// Whole Solana blocks decoded from the bytes of a node's answers, against a bare JSON.parse of
// these bytes, and against solana-dex-parser on the same transactions.
import { createRequire } from 'node:module'
import { GeneratedChain } from '../packages/devnet/src/solana/generatedChain.ts'
import type { WrittenTransaction } from '../packages/devnet/src/solana/rpcShapes.ts'
import { toWire } from '../packages/devnet/src/solana/toWire.ts'
import { decodeSolanaTransactions } from '../packages/server/src/decode/solana/decodeSolanaBlock.ts'
import type { RpcTransaction } from '../packages/server/src/model/solana/rpcTransaction.ts'
import { collectGarbage } from '../test/support/collectGarbage.ts'
import { type BenchRow, type BenchTable, countText } from './benchTable.ts'
import { headLagRow } from './solana/headLag.ts'
import { fetchPackage } from './ws/fetchPackage.ts'

const transactionsInBlock = 1_500
const swapsInBlock = 100
// The best run counts: other work on the machine can only slow a run down.
const rounds = 15
const heapBlocks = 5_000
const parserVersion = '2.6.7'

/** A block as nodes return it: a hundred swaps, some failed transactions, and votes. */
function createTransactions(): WrittenTransaction[] {
  const chain = new GeneratedChain({ seed: 5, startTimeS: 1_790_000_000, transactions: 40 })
  const [others, trades]: [WrittenTransaction[], WrittenTransaction[]] = [[], []]
  let swaps = 0
  chain.mine(2)
  while (swaps < swapsInBlock || others.length + trades.length < transactionsInBlock) {
    chain.mine()
    for (const one of chain.head.transactions) {
      const found = swapsOf([one])
      if (found === 0) others.push(one)
      else if (swaps + found <= swapsInBlock) {
        trades.push(one)
        swaps += found
      }
    }
  }
  const votes = others.slice(0, transactionsInBlock - trades.length)
  const every = Math.ceil(transactionsInBlock / trades.length)
  return [...votes, ...trades].sort((a, b) => placeOf(a, every) - placeOf(b, every))
}

/** Spreads the trading transactions among the others, always in the same way. */
function placeOf({ transaction }: WrittenTransaction, every: number): number {
  const [signature = ''] = transaction.signatures
  return (signature.charCodeAt(7) * 131 + signature.charCodeAt(9)) % (every * 977)
}

function swapsOf(transactions: readonly RpcTransaction[]): number {
  return decodeSolanaTransactions(transactions).filter(({ type }) => type === 'swap').length
}

/** CPU milliseconds of the best run. */
function timeOf(act: () => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    act()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1_000)
  }
  return best
}

const decodeText = (text: string) =>
  decodeSolanaTransactions((JSON.parse(text) as { transactions: RpcTransaction[] }).transactions)

function encodingRows(name: string, text: string): BenchRow[] {
  const parseMs = timeOf(() => JSON.parse(text))
  const wholeMs = timeOf(() => decodeText(text))
  const size = `${(text.length / 1e6).toFixed(1)} MB`
  const perSecond = `${(1_000 / wholeMs).toFixed(1)} blocks/s`
  return [
    { metric: `parsed and decoded, ${name} (${size})`, value: perSecond, goal: '20 blocks/s' },
    {
      metric: `the same against a bare JSON.parse of the same bytes, ${name}`,
      value: `${(parseMs / wholeMs).toFixed(2)}x`,
      goal: '0.4x',
    },
  ]
}

/** Heap of decoding only: the parsed answer is released with its block in any program. */
async function heapRow(transactions: readonly RpcTransaction[]): Promise<BenchRow> {
  const used = async () => {
    await collectGarbage()
    return process.memoryUsage().heapUsed / 1e6
  }
  const decode = () => decodeSolanaTransactions(transactions)
  for (let block = 0; block < 50; block++) decode()
  const before = await used()
  for (let block = 0; block < heapBlocks; block++) decode()
  const grown = (await used()) - before
  const metric = `heap after collection, grown over ${countText(heapBlocks)} blocks`
  return { metric, value: `${grown.toFixed(1)} MB`, goal: 'flat' }
}

type Parser = { parseTrades(transaction: unknown): unknown[] }

/** Trading transactions one by one, which is what the parser is made for. */
function parserRow(transactions: readonly RpcTransaction[]): BenchRow {
  const metric = `against solana-dex-parser ${parserVersion}, per transaction that trades`
  const folder = fetchPackage('solana-dex-parser', parserVersion)
  if (folder === null) return { metric, value: 'not fetched', goal: '20x' }
  const { DexParser } = createRequire(import.meta.url)(folder) as { DexParser: new () => Parser }
  const parser = new DexParser()
  const trading = transactions.filter((one) => swapsOf([one]) > 0)
  const found = trading.reduce((sum, one) => sum + parser.parseTrades(one).length, 0)
  const theirs = timeOf(() => {
    for (const one of trading) parser.parseTrades(one)
  })
  const ours = timeOf(() => void decodeSolanaTransactions(trading))
  const value = `${(theirs / ours).toFixed(0)}x (it finds ${found} trades, we ${swapsOf(trading)})`
  return { metric, value, goal: '20x' }
}

export async function runSolanaBench(): Promise<BenchTable> {
  const transactions = createTransactions()
  const inBytes = transactions.map((one) => ({ ...one, transaction: toWire(one) }))
  const [json, base64] = [transactions, inBytes].map((list) =>
    JSON.stringify({ transactions: list }),
  ) as [string, string]
  const what = `Solana: blocks of ${countText(transactions.length)} transactions with ${swapsOf(transactions)} swaps, one core`
  return {
    name: what,
    rows: [
      ...encodingRows('json', json),
      ...encodingRows('base64', base64),
      await heapRow(transactions),
      await headLagRow(),
      parserRow(transactions.map((one) => ({ ...one, slot: 1, blockTime: 1_790_000_000 }))),
    ],
  }
}
