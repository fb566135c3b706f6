// Rows per second into a real, durable PostgreSQL: the shipped writer, and in the same run COPY
// against multi-row INSERT into the same table, so that the ratio is meaningful on a noisy machine.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { createLogger } from '../packages/server/src/lib/logger.ts'
import type { BlockRef } from '../packages/server/src/model/block.ts'
import type { SwapEvent } from '../packages/server/src/model/marketEvent.ts'
import type { BlockWrite } from '../packages/server/src/store/blockWrite.ts'
import { clientConfigOf } from '../packages/server/src/store/connection.ts'
import { openStore } from '../packages/server/src/store/openStore.ts'
import { startPrivatePostgres } from '../packages/server/src/store/postgres/privatePostgres.ts'
import { CopyBytes, copyBinary } from '../packages/server/src/store/write/rows/copyBinary.ts'
import { addSwapRow, historyColumns } from '../packages/server/src/store/write/rows/historyRows.ts'
import { type BenchTable, countText } from './benchTable.ts'

const startS = 1_750_000_000
const swapsPerBlock = 100
const blockCount = 1_500
const rowsPerTransaction = 2_000

export async function runStoreBench(): Promise<BenchTable> {
  const logger = createLogger('warn')
  const dataDir = await mkdtemp(join(tmpdir(), 'chaintape-bench-'))
  const server = await startPrivatePostgres({ dataDir, logger })
  const store = await openStore({ connection: server.connection, logger })
  try {
    const live = await runWriter(store, 'live', false)
    const final = await runWriter(store, 'backfill', true)
    const client = new Client(clientConfigOf(server.connection, 'bench'))
    await client.connect()
    // Without the index on wallets, to measure its cost for the writer.
    await client.query('DROP INDEX swaps_wallet')
    const bare = await runWriter(store, 'bare', true)
    await client.query('CREATE INDEX swaps_wallet ON swaps (hashtextextended(wallet, 0), time_s)')
    const copy = await runRaw(client, copyBytesOf, (rows) => copyBinary(client, columns, rows))
    const insert = await runRaw(client, fieldsOf, (rows) => insertRows(client, rows))
    await client.end()
    return {
      name: 'store',
      rows: [
        {
          metric: 'writer, backfill: swaps/s with balances, log and cursor',
          value: countText(final),
        },
        { metric: 'the same without swaps_wallet', value: countText(bare) },
        { metric: 'share of it that is left with swaps_wallet', value: (final / bare).toFixed(2) },
        { metric: 'writer, reversible blocks: swaps/s', value: countText(live) },
        { metric: 'COPY into swaps: rows/s', value: countText(copy) },
        { metric: 'INSERT of 100 rows into swaps: rows/s', value: countText(insert) },
        { metric: 'COPY against INSERT', value: `${(copy / insert).toFixed(1)}x` },
      ],
    }
  } finally {
    await store.close()
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function runWriter(
  store: Awaited<ReturnType<typeof openStore>>,
  chain: string,
  isFinal: boolean,
): Promise<number> {
  const chainId = await store.ensureChain(chain)
  const writer = await store.openWriter({ chainId, chain })
  const writes = [...Array(blockCount).keys()].map((number) => blockWrite(chainId, number, isFinal))
  const began = performance.now()
  for (const write of writes) writer.append(write)
  await writer.flush()
  const rate = (blockCount * swapsPerBlock) / ((performance.now() - began) / 1_000)
  await writer.close()
  return rate
}

function blockWrite(chainId: number, number: number, isFinal: boolean): BlockWrite {
  const timeS = startS + number
  const parent = { parentNumber: number - 1, parentHash: `0x${number - 1}` }
  const ref = { number, hash: `0x${number}`, ...parent, timeS }
  const events = [...Array(swapsPerBlock).keys()].map((index) => swapOf(number, index))
  return {
    chainId,
    expectedSeq: number,
    entries: [
      {
        type: 'commit',
        ref,
        bytes: Buffer.alloc(swapsPerBlock * 150, number),
        undo: isFinal ? null : Buffer.alloc(swapsPerBlock * 40, number),
      },
    ],
    headAfter: { number, hash: ref.hash },
    events,
    balances: events.slice(0, swapsPerBlock / 2).map(({ swap }) => ({
      tokenId: swap.pairId,
      wallet: swap.wallet,
      before: 0n,
      after: swap.amount0,
    })),
    reverted: null,
    nowS: timeS,
  }
}

function swapOf(number: number, index: number): SwapEvent {
  // Cubing the fraction gives a few busy pairs and many quiet ones.
  const fraction = ((number * swapsPerBlock + index) * 0.618_033_988_749) % 1
  const pairId = Math.floor(5_000 * fraction ** 3)
  const hex = (number * swapsPerBlock + index).toString(16)
  return {
    type: 'swap',
    swap: {
      type: 'swap',
      index,
      txHash: `0x${hex.padStart(64, '0')}`,
      wallet: `0x${Math.floor(fraction * 1e6)
        .toString(16)
        .padStart(40, 'a')}`,
      reserve0: 10n ** 24n,
      reserve1: 10n ** 21n,
      priceRaw: 1 / (1 + fraction),
      holding0: 10n ** 20n,
      holding1: null,
      native: 10n ** 18n,
      accountFlags: 0,
      pairId,
      sender: '0x7a250d5630b4cf539739df2c5dacb4c659f2488d',
      to: `0x${'b'.repeat(40)}`,
      amount0: 10n ** 18n + BigInt(index),
      amount1: -(10n ** 15n),
    },
    quote: {
      price0Usd: fraction,
      price1Usd: 3_000.25,
      price0Native: fraction / 3_000,
      price1Native: 1,
      liquidityUsd: 1e6 * fraction,
      liquidityNative: 400 * fraction,
    },
    amountUsdE8: 12_345_678_900,
    amountNativeRaw: 4n * 10n ** 16n,
    isBuy: index % 2 === 0,
  }
}

type PlacedSwap = { ref: BlockRef; event: SwapEvent }

/** Rows per second of one way to write them, without `prepare`. */
async function runRaw<rows>(
  client: Client,
  prepare: (swaps: readonly PlacedSwap[]) => rows,
  write: (rows: rows) => Promise<void>,
): Promise<number> {
  await client.query('DROP TABLE IF EXISTS bench_swaps')
  await client.query('CREATE TABLE bench_swaps (LIKE swaps INCLUDING ALL)')
  const swaps = [...Array(100_000).keys()].map((row) => {
    const number = Math.floor(row / swapsPerBlock)
    const ref = {
      number,
      hash: '',
      parentNumber: number - 1,
      parentHash: '',
      timeS: startS + number,
    }
    return { ref, event: swapOf(number, row % swapsPerBlock) }
  })
  const transactions: rows[] = []
  for (let start = 0; start < swaps.length; start += rowsPerTransaction)
    transactions.push(prepare(swaps.slice(start, start + rowsPerTransaction)))
  const began = performance.now()
  for (const rows of transactions) {
    await client.query('BEGIN')
    await write(rows)
    await client.query('COMMIT')
  }
  return swaps.length / ((performance.now() - began) / 1_000)
}

const columns = `bench_swaps (${historyColumns.swaps})`

function copyBytesOf(swaps: readonly PlacedSwap[]): CopyBytes {
  const rows = new CopyBytes()
  for (const { ref, event } of swaps) addSwapRow(rows, 1, ref, event)
  return rows
}

type Fields = readonly unknown[]

/** In the order of `historyColumns.swaps`. */
function fieldsOf(swaps: readonly PlacedSwap[]): Fields[] {
  return swaps.map(({ ref, event }) => {
    const { swap, quote, amountUsdE8, amountNativeRaw, isBuy } = event
    const place = [1, ref.number, swap.index, ref.timeS, swap.pairId]
    const who = [swap.txHash, swap.wallet, swap.sender]
    const amounts = [swap.amount0, swap.amount1, swap.reserve0, swap.reserve1, swap.priceRaw]
    const values = [...Object.values(quote), amountUsdE8, amountNativeRaw]
    const after = [isBuy, swap.holding0, swap.holding1, swap.native, swap.accountFlags]
    return [...place, ...who, ...amounts, ...values, swap.to, ...after]
  })
}

async function insertRows(client: Client, all: readonly Fields[]): Promise<void> {
  for (let start = 0; start < all.length; start += 100) {
    const rows = all.slice(start, start + 100)
    let parameter = 0
    const tuples = rows.map((row) => `(${row.map(() => `$${++parameter}`).join(',')})`)
    await client.query({
      name: 'bench-insert',
      text: `INSERT INTO ${columns} VALUES ${tuples.join(',')}`,
      values: rows.flat(),
    })
  }
}
