// `chaintape export` of a running service: the files must equal the REST answers and the stored
// rows.
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPostmaster } from '../../packages/server/src/store/postgres/postmaster.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { createDataDir, removeDataDir, urlOf, withClient } from '../support/postgres.ts'
import { runProgram } from '../support/program.ts'
import { type Service, startService, untilStored } from '../support/service.ts'
import { privateConnectionOf } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

type Row = Record<string, string>

let market: IndexedNode
let folder: string
let dataDir: string
let config: string
let service: Service
/** The pair with the most trades. */
let pair: string

beforeAll(async () => {
  market = await startIndexedNode({ seed: 'export', blocks: 90 })
  folder = await createDataDir()
  ;({ dataDir, config } = await market.createConfig())
  service = await startService(dataDir, config)
  await untilStored(dataDir, market.node)
  pair = await withStore(async (client) => {
    const { rows } = await client.query<{ address: string }>(
      `SELECT p.address FROM swaps s JOIN pairs p ON p.chain = s.chain AND p.id = s.pair_id
        GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
    )
    return rows[0]!.address
  })
})

afterAll(async () => {
  await service.kill()
  await market.stop()
  await removeDataDir(folder)
})

async function withStore<result>(work: Parameters<typeof withClient<result>>[1]): Promise<result> {
  return await withClient(await privateConnectionOf(dataDir), work)
}

async function run(...args: string[]) {
  const program = runProgram(['export', ...args])
  const code = await program.ended
  return { code, out: program.stdout(), err: program.stderr() }
}

async function csv(...args: string[]): Promise<Row[]> {
  const { code, out, err } = await run('--config', config, ...args)
  expect([code, err]).toEqual([0, ''])
  const [head, ...lines] = out.trimEnd().split('\n').map(cellsOf)
  return lines.map((cells) => Object.fromEntries(head!.map((name, at) => [name, cells[at]!])))
}

/** Cells of a CSV line by RFC 4180. No text of this market has a line feed. */
function cellsOf(line: string): string[] {
  const cells = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)
  return [...cells].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!)
}

async function parquet(name: string, ...args: string[]): Promise<Row[]> {
  const file = join(folder, name)
  const { code, out, err } = await run(
    ...['--config', config, '--format', 'parquet', '--out', file, '--json', ...args],
  )
  expect([code, err]).toEqual([0, ''])
  const bytes = await readFile(file)
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
  const rows = await parquetReadObjects({ file: buffer })
  expect(JSON.parse(out)).toEqual({ file, rows: rows.length, bytes: bytes.length })
  expect(parquetMetadata(buffer).num_rows).toBe(BigInt(rows.length))
  const textOf = (value: unknown) => (value === null || value === undefined ? '' : String(value))
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([key, value]) => [key, textOf(value)])),
  )
}

async function rest<answer>(path: string): Promise<answer> {
  return (await (await service.get(path)).json()) as answer
}

test('default: swaps of a pair equal the REST answers', async () => {
  const id = `${pair}-${market.node.profile.name}`
  const { txs } = await rest<{ txs: Record<string, string | number>[] }>(
    `/v2/txs/${id}?limit=300&from_time=0`,
  )
  const rows = await csv('--pair', pair)
  expect(rows.length).toBeGreaterThan(10)
  expect(txs).toHaveLength(Math.min(rows.length, 300))
  for (const [at, row] of rows.slice(0, txs.length).entries()) {
    const tx = txs[at]!
    const amounts = [tx.from_token_amount, tx.to_token_amount].toSorted()
    expect({
      id: `${row.block}-${row.log_index}`,
      tx_hash: row.tx_hash,
      wallet: row.wallet,
      time: row.time_s,
      usd: row.amount_usd,
      amounts: [row.amount0, row.amount1].map((amount) => amount!.replace(/^-/, '')).toSorted(),
    }).toEqual({
      id: tx.id,
      tx_hash: tx.tx_hash,
      wallet: tx.wallet_address,
      time: String(tx.tx_time),
      usd: tx.amount_usd,
      amounts,
    })
  }
})

test('behavior: closed klines of a pair equal the REST answers', async () => {
  const id = `${pair}-${market.node.profile.name}`
  const { points } = await rest<{ points: Record<string, string | number>[] }>(
    `/v2/klines/pair/${id}?interval=s1&limit=1000&from_time=0`,
  )
  const rows = await csv('--what', 'klines', '--interval', 's1', '--pair', pair)
  expect(rows.length).toBeGreaterThan(10)
  const shown = rows.map(({ start_s, open_usd, high_usd, low_usd, close_usd, volume_usd }) => ({
    time: Number(start_s),
    volume: volume_usd,
    open: open_usd,
    high: high_usd,
    low: low_usd,
    close: close_usd,
  }))
  // The newest kline is open, so it is not stored.
  expect(points.slice(0, shown.length)).toMatchObject(shown)
  expect(points.length - shown.length).toBeLessThanOrEqual(1)
})

test('behavior: Parquet files equal CSV files, for every table and all stored rows', async () => {
  const counts = {
    swaps: 'swaps',
    liquidity: 'liquidity',
    tokens: 'tokens',
    pairs: 'pairs',
    klines: 'klines_k1 WHERE pair_id >= 0',
  }
  for (const [what, table] of Object.entries(counts)) {
    const [rows, same] = [await csv('--what', what), await parquet(what, '--what', what)]
    expect(same, what).toEqual(rows)
    const stored = await withStore((client) => client.query(`SELECT count(*) AS n FROM ${table}`))
    expect([what, rows.length]).toEqual([what, stored.rows[0].n])
    expect(rows.length, what).toBeGreaterThan(0)
  }
})

test('behavior: amounts are exact and rows sorted, from a given database server', async () => {
  const url = urlOf(await privateConnectionOf(dataDir))
  const { code, out } = await run('--database-url', url, '--chain', market.node.profile.name)
  expect(code).toBe(0)
  const [head, ...lines] = out.trimEnd().split('\n').map(cellsOf)
  const column = (name: string) => lines.map((cells) => cells[head!.indexOf(name)]!)
  const { rows } = await withStore((client) =>
    client.query<{ raw: string; decimals: number; place: string }>(
      `SELECT s.amount0::text AS raw, t.decimals, s.block || '-' || s.idx AS place FROM swaps s
        JOIN pairs p ON p.chain = s.chain AND p.id = s.pair_id
        JOIN tokens t ON t.chain = p.chain AND t.id = p.token0_id ORDER BY s.block, s.idx`,
    ),
  )
  const rawOf = (text: string, decimals: number) => {
    const [whole, part = ''] = text.split('.')
    return BigInt(`${whole}${part.padEnd(decimals, '0')}`)
  }
  const blocks = column('block')
  const indexes = column('log_index')
  const amounts = column('amount0').map((text, at) => rawOf(text, rows[at]!.decimals))
  expect(blocks.map((block, at) => `${block}-${indexes[at]}`)).toEqual(rows.map((row) => row.place))
  expect(amounts).toEqual(rows.map(({ raw }) => BigInt(raw)))
})

test('behavior: from and to are inclusive', async () => {
  const all = await csv('--pair', pair)
  const [from, to] = [all[2]!.time_s!, all.at(-3)!.time_s!]
  const isIn = ({ time_s: time }: Row) => Number(time) >= Number(from) && Number(time) <= Number(to)
  expect(await csv('--pair', pair, '--from', from, '--to', to)).toEqual(all.filter(isIn))
  const date = new Date(Number(from) * 1_000).toISOString()
  expect((await csv('--pair', pair, '--from', date))[0]).toEqual(all.find(isIn))
})

test('error: unknown items and incompatible options', async () => {
  const failing: [string, RegExp, ...string[]][] = [
    ['EXPORT_INPUT', /No chain "moon" is stored[\s\S]*Stored: \w+/, '--chain', 'moon'],
    ['EXPORT_INPUT', /no pair 0xabc/, '--pair', '0xabc'],
    ['EXPORT_INPUT', /--from \(5\) is after --to \(4\)/, '--from', '5', '--to', '4'],
    ['EXPORT_INPUT', /--interval is for klines/, '--interval', 'k5'],
    ['EXPORT_INPUT', /--pair is for swaps/, '--what', 'tokens', '--pair', pair],
    ['EXPORT_FILE', /there already/, '--out', config],
    ['EXPORT_FILE', /ENOENT/, '--out', join(folder, 'none', 'a.csv')],
    ['error:', /Allowed choices are csv, parquet/, '--format', 'xml'],
    ['error:', /It is a time: Unix seconds/, '--from', 'yesterday'],
  ]
  for (const [code, text, ...args] of failing) {
    const failed = await run('--config', config, ...args)
    expect([args, failed.out, failed.err]).toEqual([args, '', expect.stringMatching(text)])
    expect(failed.err).toContain(code)
    expect(failed.code).not.toBe(0)
  }
})

test('behavior: an interrupted export leaves no file of the target name', async () => {
  const file = join(folder, 'whole.csv')
  const args = ['export', '--config', config, '--out', file]
  await withStore(async (client) => {
    // Blocks all reads of rows during the export.
    await client.query('BEGIN; LOCK TABLE tokens IN ACCESS EXCLUSIVE MODE')
    const killed = runProgram(args)
    const part = `${file}.part-${killed.child.pid}`
    await until('it has begun', async () => existsSync(part))
    killed.child.kill('SIGKILL')
    await killed.ended
    expect([existsSync(file), existsSync(part)]).toEqual([false, true])
    const stopped = runProgram(args)
    const another = `${file}.part-${stopped.child.pid}`
    await until('another has begun', async () => existsSync(another))
    stopped.child.kill('SIGTERM')
    expect([await stopped.ended, stopped.stderr()]).toEqual([
      ...[75, expect.stringContaining('EXPORT_STOPPED')],
    ])
    await client.query('ROLLBACK')
  })
  expect(readdirSync(folder).filter((name) => name.startsWith('whole'))).toEqual([])
  expect((await run(...args.slice(1))).code).toBe(0)
  expect(readdirSync(folder).filter((name) => name.startsWith('whole'))).toEqual(['whole.csv'])
})

test('behavior: if the reader of an export ends, the export and its PostgreSQL end without an error', async () => {
  await service.stop()
  const program = runProgram(['export', '--config', config])
  program.child.stdout!.destroy()
  expect([await program.ended, program.stderr()]).toEqual([0, ''])
  expect(await findPostmaster(join(dataDir, 'postgres'))).toBe(null)
})
