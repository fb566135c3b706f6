import { expect, test } from 'vitest'
import { wallet } from '../../../../../../test/support/servedChain.ts'
import { createServedMarket, fillMarket } from '../../../../../../test/support/servedMarket.ts'
import { trendingOf } from '../../../../../../test/support/trendingOf.ts'

type Row = Record<string, string> & { symbol: string; chain: string }

function createMarket() {
  const market = createServedMarket({ chains: ['local', 'other'] })
  for (const chain of market.chains.values()) fillMarket(chain)
  return market
}

test('default: topics are those of the market and one per chain', async () => {
  const market = createMarket()
  const { body } = await market.get('/v2/ranks/topics')
  expect(body.map(({ id }: Row) => id)).toEqual([
    ...['hot', 'meme', 'gainer', 'loser', 'new', 'local', 'other'],
  ])
})

test('behavior: hot is ordered by volume, largest first, over all chains', async () => {
  const market = createMarket()
  const { body } = await market.get('/v2/ranks?topic=hot')
  const volumes = body.map((row: Row) => Number(row.tx_volume_u_24h))
  expect(volumes).toEqual([...volumes].sort((a, b) => b - a))
  expect(new Set(body.map(({ chain }: Row) => chain))).toEqual(new Set(['local', 'other']))
  expect((await market.get('/v2/ranks?topic=hot&limit=2')).body).toEqual(body.slice(0, 2))
})

test("behavior: a chain's topic ranks only this chain", async () => {
  const { body } = await createMarket().get('/v2/ranks?topic=other')
  expect(new Set(body.map(({ chain }: Row) => chain))).toEqual(new Set(['other']))
})

test('behavior: gainers rose and losers fell, largest change first', async () => {
  const market = createMarket()
  const { chain } = market
  const { engine } = chain
  const weth = engine.tokenState(engine.findToken(chain.gatewayChain.profile.native.wrappedToken)!)
  const mainPairOf = (tokenId: number) =>
    engine.pairState(engine.tokenState(tokenId).mainPairId!).record
  // The 24-hour window must start with a price.
  chain.mine(90_000)
  chain.trade(mainPairOf(2), engine.tokenState(2).record, 100_000)
  chain.trade(mainPairOf(3), weth.record, 1)
  chain.trade(mainPairOf(4), weth.record, 0.1)
  chain.mine(60)
  const gainers: Row[] = (await market.get('/v2/ranks?topic=gainer')).body
  const losers: Row[] = (await market.get('/v2/ranks?topic=loser')).body
  const changes = (rows: Row[]) => rows.map((row) => Number(row.price_change_24h))
  expect(changes(gainers).every((change) => change > 0)).toBe(true)
  expect(changes(losers).every((change) => change < 0)).toBe(true)
  expect(gainers.length).toBeGreaterThan(0)
  expect(losers.length).toBeGreaterThan(0)
  expect(changes(gainers)).toEqual(changes(gainers).sort((a, b) => b - a))
})

test('behavior: meme lists launch platform tokens, new lists young tokens', async () => {
  const market = createMarket()
  const symbols = async (topic: string) =>
    new Set((await market.get(`/v2/ranks?topic=${topic}`)).body.map(({ symbol }: Row) => symbol))
  expect(await symbols('meme')).toEqual(new Set(['CURVE', 'ALMOST', 'OUT']))
  expect((await symbols('new')).has('PEPE')).toBe(true)
  market.setNowS(market.chain.engine.head()!.timeS + 2 * 86_400)
  expect(await symbols('new')).toEqual(new Set())
})

test('behavior: a token first seen after its creation is not new, and its age is marked unknown', async () => {
  const market = createMarket()
  const { chain } = market
  const { engine } = chain
  const weth = engine.tokenRecord(engine.findToken(chain.gatewayChain.profile.native.wrappedToken)!)
  const [old, curve] = ['OLD', 'OLDCURVE'].map((symbol) => chain.token({ symbol }))
  const late = { createdAtS: 0 }
  const oldPair = chain.pool(old!, weth, [1_000_000, 100], late)
  const curvePair = chain.pool(curve!, weth, [1_000_000, 5], { ...late, kind: 'curve' })
  chain.launch(curve!, curvePair, '')
  chain.trade(oldPair, weth, 3)
  chain.trade(curvePair, weth, 1)
  chain.mine()
  // The deeper new pair becomes the main pair, but the token's age does not change.
  const deep = chain.pool(old!, weth, [10_000_000, 1_000])
  chain.trade(deep, weth, 3)
  for (let block = 0; block < 30; block += 1) {
    chain.trade(deep, weth, 0.01)
    chain.mine()
  }
  expect(engine.mainPairOf(old!.id)).toBe(deep.id)
  const list = async (path: string): Promise<Row[]> => {
    const { body } = await market.get(path)
    return body.data ?? body
  }
  const symbols = async (path: string) => (await list(path)).map(({ symbol }) => symbol)
  expect(await symbols('/v2/ranks?topic=hot')).toContain('OLD')
  expect(await symbols('/v2/ranks?topic=meme')).toContain('OLDCURVE')
  expect(await symbols('/v2/tokens/platform?tag=tape_in_hot')).toContain('OLDCURVE')
  for (const path of ['/v2/ranks?topic=new', '/v2/tokens/platform?tag=tape_in_new'])
    expect((await symbols(path)).filter((symbol) => symbol.startsWith('OLD'))).toEqual([])
  for (const { symbol, ...row } of await list('/v2/ranks?topic=hot'))
    if (symbol === 'OLD')
      expect(row).toMatchObject({ launch_at: 0, launch_price: '0', created_at: 0 })
  const pairOf = async (address: string) => (await market.get(`/v2/pairs/${address}-local`)).body
  expect(await pairOf(oldPair.address)).toMatchObject({ created_at: 0 })
  expect((await pairOf(deep.address)).created_at).toBe(deep.createdAtS)
})

test('behavior: hot is ordered by volume, even if many tokens have a better score', async () => {
  const market = createServedMarket()
  const { chain } = market
  const [weth, usdc, whale] = ['WETH', 'USDC', 'WHALE'].map((symbol) => chain.token({ symbol }))
  chain.pool(weth!, usdc!, [10_000, 20_000_000])
  const deep = chain.pool(whale!, weth!, [1_000_000_000, 1_000_000], { createdAtS: 0 })
  const others = Array.from({ length: 605 }, () =>
    chain.pool(chain.token({ symbol: 'SMALL' }), weth!, [1_000, 1_000]),
  )
  chain.mine()
  chain.trade(deep, weth!, 1_000, wallet(0))
  for (const pair of others) for (const at of [1, 2, 3]) chain.trade(pair, weth!, 1, wallet(at))
  chain.mine()
  expect(trendingOf(chain.engine).indexOf(whale!.id)).toBe(605)
  const { body } = await market.get('/v2/ranks?topic=hot&limit=2')
  expect(body.map(({ symbol }: Row) => symbol)).toEqual(['WHALE', 'SMALL'])
})

test('error: an unknown topic is refused', async () => {
  const { status, body } = await createMarket().get('/v2/ranks?topic=mars')
  expect([status, body.error]).toEqual([400, { code: 'invalid_param', param: 'topic' }])
  expect(body.msg).toContain('hot, meme, gainer, loser, new, local, other')
})

test('behavior: exactly the listed topics are accepted', async () => {
  const market = createMarket()
  const listed: string[] = (await market.get('/v2/ranks/topics')).body.map(({ id }: Row) => id)
  const ask = async (topic: string) => await market.get(`/v2/ranks?topic=${topic}`)
  for (const topic of listed) expect([topic, (await ask(topic)).status]).toEqual([topic, 200])
  // Topics of chains that are not configured, and of lists that this service does not compute.
  for (const topic of ['solana', 'eth', 'depin', 'ai', 'l2', 'rwa', 'BSC-Meme-Boost', 'HOT']) {
    const { status, body } = await ask(topic)
    expect([status, body.error]).toEqual([400, { code: 'invalid_param', param: 'topic' }])
    expect(body.msg).toBe(`Unknown topic "${topic}". The topics are: ${listed.join(', ')}.`)
  }
})

test('behavior: supported chains and status are free', async () => {
  const market = createMarket()
  const chains = (await market.get('/v2/supported_chains')).body
  expect(chains).toMatchObject([
    { chain: 'local', case_sensitive: false, main_token_symbol: 'ETH' },
    { chain: 'other' },
  ])
  const { body } = await market.get('/v2/status')
  const head = market.chain.engine.head()!
  expect(body.chains[0]).toMatchObject({
    chain: 'local',
    state: 'live',
    head_block: head.number,
    head_hash: head.hash,
    head_time: head.timeS,
    head_age_s: 0,
    lag_blocks: 0,
    history_known: true,
    start_block: 1,
    first_block: 1,
    history_complete: true,
    history_missing: [],
  })
  expect(body.chains[0].history_from).toBeLessThanOrEqual(head.timeS)
  expect(market.creditsUsed()).toBe(0)
})

test('behavior: holders are listed in both directions', async () => {
  const market = createMarket()
  const { chain } = market
  const { record } = chain.engine.tokenState(2)
  const [a, b] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`]
  chain.setBalances(record, { [a]: 3, [b]: 7 })
  const path = `/v2/tokens/holders/${record.address}-local`
  const holders = async (more: string) =>
    (await market.get(path + more)).body.map(({ holder }: Row) => holder)
  expect(await holders('')).toEqual([b, a])
  expect(await holders('?order=asc&sort_by=percentage')).toEqual([a, b])
  expect(await holders('?limit=1')).toEqual([b])
  expect((await market.get(`${path}?limit=101`)).status).toBe(400)
})
