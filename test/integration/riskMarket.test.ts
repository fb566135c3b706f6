// What the running program says of every token of its own market, whose contracts are known here.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listings } from '../../packages/devnet/src/market/listings.ts'
import { createDataDir } from '../support/postgres.ts'
import { type Program, startProgram } from '../support/program.ts'
import { until } from '../support/until.ts'

let dataDir = ''
let program: Program & Awaited<ReturnType<typeof startProgram>>

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
async function get(path: string): Promise<any> {
  const headers = { 'X-API-KEY': program.ready.api_key }
  const response = await fetch(`${program.ready.address}${path}`, { headers })
  expect([path, response.status]).toEqual([path, 200])
  return await response.json()
}

async function rpc(method: string, params: unknown[]): Promise<Record<string, string>> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(program.ready.devnet_rpc_url, { method: 'POST', headers, body })
  return ((await response.json()) as { result: Record<string, string> }).result
}

async function tokenOf(symbol: string): Promise<string> {
  const found = await get(`/v2/tokens?keyword=${symbol}&chain=local`)
  return found.find((row: { symbol: string }) => row.symbol === symbol).token
}

beforeAll(async () => {
  dataDir = await createDataDir()
  const file = join(dataDir, 'config.json')
  await writeFile(file, JSON.stringify({ devnet: { history_s: 300 }, log: { level: 'warn' } }))
  program = await startProgram(dataDir, ['--config', file])
})

afterAll(async () => {
  program?.child.kill('SIGINT')
  await program?.ended
  await rm(dataDir, { recursive: true, force: true })
})

const kindOf = new Map(listings.map(({ symbol, kind }) => [symbol, kind]))

type Holder = { holder: string; kind: string }

async function creatorsOf(token: string): Promise<Holder[]> {
  const rows: Holder[] = await get(`/v2/tokens/top100/${token}-local`)
  return rows.filter(({ kind }) => kind === 'creator')
}

test('behavior: asking for holders has the creator found out for who asks later', async () => {
  const token = await tokenOf('SIXER')
  await until('the creator is known', async () => (await creatorsOf(token)).length > 0)
  const { creator_address } = await get(`/v2/contracts/${token}-local`)
  expect(await creatorsOf(token)).toMatchObject([{ holder: creator_address }])
})

test('behavior: clean tokens are clean, the others are what they are', async () => {
  const scores = new Map<string, number>()
  for (const [symbol, kind] of kindOf) {
    // The hostile name has a symbol that is cut.
    if (kind === 'hostile') continue
    const body = await get(`/v2/contracts/${await tokenOf(symbol)}-local`)
    const { risk_score, risk_level, is_honeypot } = body
    const codes = body.risk_items.map(({ code }: { code: string }) => code)
    const found = [symbol, risk_level, is_honeypot]
    scores.set(symbol, risk_score)
    if (kind === 'honeypot') {
      expect([...found, risk_score]).toEqual([symbol, -1, 1, 100])
    } else if (kind === 'mintable' || kind === 'pausable') {
      expect([...found, risk_score > 55 && risk_score < 100]).toEqual([symbol, -1, 0, true])
      expect(codes).toEqual(expect.arrayContaining(['canMint', 'canPause', 'canBlacklist']))
    } else {
      expect([...found, risk_score <= 55]).toEqual([symbol, 0, 0, true])
      expect([symbol, codes.includes('taxed')]).toEqual([symbol, kind === 'fee'])
    }
  }
  const clean = [...scores].filter(([symbol]) => {
    const kind = kindOf.get(symbol)
    return kind === 'plain' || kind === 'bytes32'
  })
  expect(clean.length).toBe(9)
  for (const [symbol, score] of clean)
    expect([symbol, score < scores.get('TAXED')!]).toEqual([symbol, true])
})

test('behavior: the creator of a token is named among its holders, and its row has the time', async () => {
  const token = await tokenOf('OMEG')
  const found = await get(`/v2/contracts/${token}-local`)
  const rank = found.token_holders_rank.find(
    ({ address }: { address: string }) => address === found.creator_address,
  )
  expect(rank).toMatchObject({ mark: 'Creator', analysis_show_creator: '1' })
  const named = { holder: found.creator_address, addr_alias: 'Creator' }
  expect(await creatorsOf(token)).toMatchObject([named])
  const createdAtS = async () =>
    (await get(`/v2/tokens/${token}-local`)).data.token.created_at as number
  await until('the row is made anew', async () => (await createdAtS()) > 0)
  const { blockNumber } = await rpc('eth_getTransactionByHash', [found.creator_tx])
  const { timestamp } = await rpc('eth_getBlockByNumber', [blockNumber, false])
  expect(await createdAtS()).toBe(Number(timestamp))
})

test('behavior: a pair tells of its shares what the check of its token found', async () => {
  const found = await get(`/v2/contracts/${await tokenOf('OMEG')}-local`)
  const detail = () => get(`/v2/pairs/${found.lp_pair}-local`)
  await until('the row is made anew', async () => (await detail()).lp_holders !== undefined)
  const { lp_holders, lp_locked_percent } = await detail()
  expect([lp_holders, Number(lp_locked_percent)]).toEqual([
    found.pair_holders,
    found.pair_lock_percent,
  ])
})

test('behavior: tokens of the launch platform are clean', async () => {
  const launched = await get('/v2/tokens/platform?tag=meme&limit=10')
  expect(launched.length).toBeGreaterThan(0)
  for (const { token, symbol } of launched) {
    const body = await get(`/v2/contracts/${token}-local`)
    expect([symbol, body.risk_level, body.risk_score <= 50]).toEqual([symbol, 0, true])
  }
})
