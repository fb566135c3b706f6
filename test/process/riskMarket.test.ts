// Risk reports of the running program for every token of its own market, whose contracts are known.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Address, createPublicClient, formatUnits, http, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listings, lockedSymbol } from '../../packages/devnet/src/market/listings.ts'
import { type ExternalDevnet, startExternalDevnet } from '../support/externalDevnet.ts'
import { createDataDir } from '../support/postgres.ts'
import { type Program, startProgram, testApiKey } from '../support/program.ts'
import { until } from '../support/until.ts'

let dataDir = ''
let devnet: ExternalDevnet
let rpcUrl = ''
let program: Program & Awaited<ReturnType<typeof startProgram>>

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
async function get(path: string): Promise<any> {
  const headers = { 'X-API-KEY': testApiKey }
  const response = await fetch(`${program.ready.address}${path}`, { headers })
  expect([path, response.status]).toEqual([path, 200])
  return await response.json()
}

async function rpc(method: string, params: unknown[]): Promise<Record<string, string>> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(rpcUrl, { method: 'POST', headers, body })
  return ((await response.json()) as { result: Record<string, string> }).result
}

async function tokenOf(symbol: string): Promise<string> {
  const found = await get(`/v2/tokens?keyword=${symbol}&chain=local`)
  return found.find((row: { symbol: string }) => row.symbol === symbol).token
}

async function start(testing: object): Promise<void> {
  const file = join(dataDir, 'config.json')
  const { chains } = devnet
  await writeFile(
    file,
    JSON.stringify({ chains, api_key: testApiKey, testing, log: { level: 'warn' } }),
  )
  program = await startProgram(dataDir, ['--config', file])
}

async function stop(): Promise<void> {
  program?.child.kill('SIGINT')
  await program?.ended
}

beforeAll(async () => {
  devnet = await startExternalDevnet({
    CHAINTAPE_DEVNET_HISTORY_S: '300',
    CHAINTAPE_DEVNET_SOLANA: 'false',
  })
  rpcUrl = devnet.chains.local.rpc[0].http_url
  dataDir = await createDataDir()
  await start({ risk_checks_per_min_max: 0 })
})

afterAll(async () => {
  await stop()
  await devnet?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const kindOf = new Map(listings.map(({ symbol, kind }) => [symbol, kind]))

type Holder = { holder: string; kind: string }

async function creatorsOf(token: string): Promise<Holder[]> {
  const rows: Holder[] = await get(`/v2/tokens/top100/${token}-local`)
  return rows.filter(({ kind }) => kind === 'creator')
}

test('behavior: a request for holders finds the creator for later requests', async () => {
  const token = await tokenOf('SIXER')
  await until('the creator is known', async () => (await creatorsOf(token)).length > 0)
  const { creator_address } = await get(`/v2/contracts/${token}-local`)
  expect(await creatorsOf(token)).toMatchObject([{ holder: creator_address }])
})

test('behavior: clean tokens are clean, the others are classified correctly', async () => {
  const scores = new Map<string, number>()
  for (const [symbol, kind] of kindOf) {
    // The token with a hostile name has a truncated symbol, so it cannot be found by symbol.
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

test('behavior: a token’s creator is marked among its holders, and its row has the creation time', async () => {
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
  await until('the row is made again', async () => (await createdAtS()) > 0)
  const { blockNumber } = await rpc('eth_getTransactionByHash', [found.creator_tx])
  const { timestamp } = await rpc('eth_getBlockByNumber', [blockNumber, false])
  expect(await createdAtS()).toBe(Number(timestamp))
})

test('behavior: a pair reports the shares that its token’s check found', async () => {
  const found = await get(`/v2/contracts/${await tokenOf(lockedSymbol)}-local`)
  expect(found.pair_lock_percent).toBeGreaterThan(0.5)
  const detail = () => get(`/v2/pairs/${found.lp_pair}-local`)
  await until('the row is made again', async () => (await detail()).lp_holders !== undefined)
  const { lp_holders, lp_locked_percent } = await detail()
  expect([lp_holders, Number(lp_locked_percent)]).toEqual([
    found.pair_holders,
    found.pair_lock_percent,
  ])
})

const sharesAbi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

/** Contract reads at a block, or at the head. */
function chainReads(block?: number) {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const at = { abi: sharesAbi, ...(block !== undefined && { blockNumber: BigInt(block) }) }
  return {
    balanceOf: (token: string, owner: string) =>
      client.readContract({
        ...at,
        address: token as Address,
        functionName: 'balanceOf',
        args: [owner as Address],
      }),
    totalSupply: (token: string) =>
      client.readContract({ ...at, address: token as Address, functionName: 'totalSupply' }),
  }
}

/** The locked token, and the locker's balance of it. On this chain the balance never changes. */
async function lockedToken() {
  const token = await tokenOf(lockedSymbol)
  const { lockers } = devnet.chains.local
  const locker = lockers[0]!
  const lockedRaw = await chainReads().balanceOf(token, locker)
  expect([lockers.length, lockedRaw > 0n]).toEqual([1, true])
  const { decimals } = listings.find(({ symbol }) => symbol === lockedSymbol)!
  return { token, locker, locked: formatUnits(lockedRaw, decimals) }
}

test('behavior: the locker’s balance is locked and excluded from the market cap', async () => {
  const { token, locked } = await lockedToken()
  const row = (await get(`/v2/tokens/${token}-local`)).data.token
  expect([row.lock_amount, row.other_amount]).toEqual([locked, '0'])
  const [amount, total, burnt, price, fdv, cap] = [
    ...[locked, row.total, row.burn_amount, row.current_price_usd, row.fdv, row.market_cap],
  ].map(Number) as [number, number, number, number, number, number]
  expect(price).toBeGreaterThan(0)
  expect(Number(row.locked_percent) / (amount / total)).toBeCloseTo(1, 12)
  expect(fdv / ((total - burnt) * price)).toBeCloseTo(1, 12)
  expect((fdv - cap) / (amount * price)).toBeCloseTo(1, 10)
  const loose = (await get(`/v2/tokens/${await tokenOf('SIXER')}-local`)).data.token
  expect([loose.lock_amount, loose.market_cap]).toEqual(['0', loose.fdv])
})

test('behavior: the locker is marked among the holders', async () => {
  const { token, locker, locked } = await lockedToken()
  const named = { holder: locker, kind: 'lock', addr_alias: 'Locker' }
  for (const list of ['top100', 'holders']) {
    const rows = await get(`/v2/tokens/${list}/${token}-local`)
    const found = rows.filter(({ holder }: Holder) => holder === locker)
    expect(found).toMatchObject([{ ...named, amount_cur: Number(locked) }])
  }
})

test('behavior: locked liquidity does not count as loose', async () => {
  const { token, locker, locked } = await lockedToken()
  const found = await get(`/v2/contracts/${token}-local`)
  const { lp_pair, checked_block, pair_holders_rank, token_holders_rank } = found
  const chain = chainReads(checked_block)
  const totalRaw = await chain.totalSupply(lp_pair)
  const lockedRaw = await chain.balanceOf(lp_pair, locker)
  const { burn_addresses: burnAddresses } = devnet.chains.local
  let tiedRaw = lockedRaw
  for (const address of burnAddresses) tiedRaw += await chain.balanceOf(lp_pair, address)
  expect(found.pair_total).toBe(Number(formatUnits(totalRaw, 18)))
  expect(found.pair_lock_percent / (Number(tiedRaw) / Number(totalRaw))).toBeCloseTo(1, 12)
  const rowOf = (rows: { address: string }[]) => rows.find(({ address }) => address === locker)
  const shares = rowOf(pair_holders_rank) as unknown as { percent: string }
  expect(shares).toMatchObject({ mark: 'Lock', lock: [], quantity: formatUnits(lockedRaw, 18) })
  expect(Number(shares.percent) / (Number(lockedRaw) / Number(totalRaw))).toBeCloseTo(1, 12)
  expect(rowOf(token_holders_rank)).toMatchObject({ mark: 'Lock', lock: [], quantity: locked })
  expect(found.lock_amount).toBe(Number(locked))
  expect(found.token_lock_percent / (Number(locked) / Number(found.total))).toBeCloseTo(1, 12)
  // Both tokens have one pool of the same kind.
  const looseOf = async (symbol: string) => {
    const { risk_items } = await get(`/v2/contracts/${await tokenOf(symbol)}-local`)
    const codes: string[] = risk_items.map(({ code }: { code: string }) => code)
    return codes.filter((code) => code.startsWith('lp'))
  }
  expect(await looseOf(lockedSymbol)).toEqual([])
  expect(await looseOf('WHOLE')).toEqual(['lpLoose', 'lpOneHand'])
})

test('behavior: tokens of the launch platform are clean', async () => {
  const launched = await get('/v2/tokens/platform?tag=meme&limit=10')
  expect(launched.length).toBeGreaterThan(0)
  for (const { token, symbol } of launched) {
    const body = await get(`/v2/contracts/${token}-local`)
    expect([symbol, body.risk_level, body.risk_score <= 50]).toEqual([symbol, 0, true])
  }
})

test('behavior: findings survive a restart, with the block they are from', async () => {
  const [trap] = [...kindOf].find(([, kind]) => kind === 'honeypot')!
  const token = await tokenOf(trap)
  const { checked_block } = await get(`/v2/contracts/${token}-local`)
  const storedNow = () =>
    get('/v2/screener?chain=local&honeypot=1').then(({ tokens }) =>
      tokens.map((row: { token: string }) => row.token),
    )
  await stop()
  await start({ risk_checks_per_min_max: 0 })
  await until('the report is known again', async () => (await storedNow()).includes(token))
  const again = await get(`/v2/contracts/${token}-local`)
  expect(again.is_honeypot).toBe(1)
  expect(again.checked_block).toBeGreaterThanOrEqual(checked_block)
})

test('behavior: lists mark honeypots and score tokens without a request for a report', async () => {
  await stop()
  // Before anything is stored.
  await rm(dataDir, { recursive: true, force: true })
  dataDir = await createDataDir()
  await start({})
  const traps = [...kindOf].flatMap(([symbol, kind]) => (kind === 'honeypot' ? [symbol] : []))
  expect(traps.length).toBeGreaterThan(0)
  const symbolsOf = async (query: string): Promise<string[]> =>
    (await get(`/v2/screener?chain=local&limit=200&${query}`)).tokens.map(
      ({ symbol }: { symbol: string }) => symbol,
    )
  await until(
    'the honeypots are found',
    async () => {
      const found = await symbolsOf('honeypot=1')
      return traps.every((symbol) => found.includes(symbol))
    },
    300_000,
  )
  for (const symbol of await symbolsOf('honeypot=1')) expect(traps).toContain(symbol)
  const clean = await symbolsOf('honeypot=0')
  for (const symbol of traps) expect(clean).not.toContain(symbol)
  await until('others are scored, too', async () => {
    return (await symbolsOf('sort=risk_score&order=asc')).length > traps.length + 5
  })
})
