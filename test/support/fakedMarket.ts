// A market played from a seed, with or without untrusted pools and tokens that report false data.
import type { MarketEvent } from '../../packages/server/src/model/marketEvent.ts'
import type { PairRecord } from '../../packages/server/src/model/pair.ts'
import type { TokenRecord } from '../../packages/server/src/model/token.ts'
import { createRandom } from './random.ts'
import { addressOf, type ServedChain, wallet } from './servedChain.ts'
import type { ServedMarket } from './servedMarket.ts'

/** Balances after a block by token and wallet, in raw units. */
export type BlockBalances = { token: TokenRecord; wallet: string; raw: bigint }[]

export type PlayOptions = {
  seed: number
  hasFakes: boolean
  /** Called after each block. */
  onMined?(events: MarketEvent[], balances: BlockBalances): void
}

export type PlayedMarket = {
  tokens: readonly TokenRecord[]
  pairs: readonly PairRecord[]
  wallets: readonly string[]
}

type World = PlayedMarket & { tokens: TokenRecord[]; pairs: PairRecord[]; balances: BlockBalances }

const blocks = 40
const traders = [...Array(6).keys()].map((n) => wallet(0x40 + n))
const words = ['PEPE', 'PEPE2', 'DOGE', 'Inu', 'BIGPEPE', 'Coin']
/** Prefix of the addresses of fake tokens and pools. */
export const fakeAddressPrefix = '0xbad'

/**
 * Honest trades and fakes use separate random sources, so the honest part is the same with and
 * without fakes.
 */
export function playMarket(chain: ServedChain, options: PlayOptions): PlayedMarket {
  const draw = createDraw(options.seed)
  const world: World = { tokens: [], pairs: [], wallets: traders, balances: [] }
  const fakes = options.hasFakes ? createFakes(chain, world, createDraw(options.seed + 1)) : null
  const tokenOf = (parts: Partial<TokenRecord>) => {
    const token = chain.token({ address: addressOf('70e', world.tokens.length), ...parts })
    world.tokens.push(token)
    return token
  }
  const poolOf = (
    tokens: readonly [TokenRecord, TokenRecord],
    amounts: readonly [number, number],
    parts: Partial<PairRecord> = {},
  ) => {
    const address = addressOf('9a1', world.pairs.length)
    world.pairs.push(chain.pool(...tokens, amounts, { address, ...parts }))
    return world.pairs.at(-1)!
  }
  const mine = (stepS: number) => {
    const events = chain.mine(stepS)
    options.onMined?.(events, world.balances.splice(0))
  }

  const weth = tokenOf({ symbol: 'WETH', name: 'Wrapped Ether' })
  const usdc = tokenOf({ symbol: 'USDC', name: 'USD Coin', decimals: 6 })
  poolOf([weth, usdc], [10_000, 20_000_000])
  chain.trade(world.pairs[0]!, weth, 0.5, traders[0])
  mine(1)

  function newToken(): void {
    const decimals = draw.pick([0, 6, 9, 18])
    const symbol = draw.pick(words)
    const token = tokenOf({ symbol, name: `${symbol} ${draw.pick(['Coin', 'Token'])}`, decimals })
    const isLaunch = draw.isLikely(0.3)
    const other = isLaunch || draw.isLikely(0.7) ? weth : usdc
    const kind = isLaunch ? 'curve' : 'constantProduct'
    const pair = poolOf([token, other], [1_000_000, draw.upTo(200) + 1], { kind })
    if (isLaunch) chain.launch(token, pair)
    if (isLaunch) chain.fill(pair, draw.upTo(1_000_000))
    chain.supply(token, {
      total: draw.upTo(9_000_000),
      locked: draw.upTo(9),
      holders: draw.upTo(9),
    })
  }

  function honestStep(): void {
    const roll = draw.upTo(9)
    const pair = draw.pick(world.pairs)
    const side = draw.pick([pair.token0Id, pair.token1Id])
    const token = world.tokens.find(({ id }) => id === side)!
    if (roll === 0 && world.tokens.length < 12) newToken()
    else if (roll === 1) holdSome(chain, world, draw.pick(world.tokens), draw.pick(traders), draw)
    else if (roll === 2 && world.pairs.length < 18)
      poolOf([token, token === usdc ? weth : usdc], [draw.upTo(5_000) + 10, draw.upTo(5_000) + 10])
    else chain.trade(pair, token, (draw.upTo(2_000) + 1) / 10_000, draw.pick(traders))
  }

  for (let block = 0; block < blocks; block += 1) {
    for (let left = draw.upTo(6); left > 0; left -= 1) {
      fakes?.step()
      honestStep()
    }
    fakes?.step()
    mine(draw.pick([1, 12, 70, 3_700]))
  }
  return world
}

function holdSome(
  chain: ServedChain,
  world: World,
  token: TokenRecord,
  holder: string,
  draw: Draw,
): void {
  const amount = draw.upTo(1_000_000)
  chain.setBalances(token, { [holder]: amount })
  world.balances.push({
    token,
    wallet: holder,
    raw: BigInt(amount) * 10n ** BigInt(token.decimals),
  })
}

/**
 * Creates what anyone can deploy: pools that no factory confirms, and tokens that report anything.
 */
function createFakes(chain: ServedChain, world: World, draw: Draw) {
  const tokens: TokenRecord[] = []
  const pairs: PairRecord[] = []
  const attacker = wallet(0x66)
  // A malicious web page may make any user sign a call of such a contract.
  const signerOf = () => draw.pick([attacker, ...traders])
  // Amounts of at least one raw unit.
  const absurdOf = ({ decimals }: TokenRecord) =>
    draw.pick([decimals < 6 ? 1 : 1e-6, 1, 1e9, 1e15, 1e30])

  function newToken(): void {
    const symbol = draw.pick(words)
    const decimals = draw.pick([0, 1, 18, 77, 255])
    const address = addressOf('bad', tokens.length)
    const token = chain.token({ address, symbol, name: `${symbol} Coin`, decimals })
    tokens.push(token)
    chain.supply(token, { total: 1e60, holders: 2_000_000_000 })
    chain.setBalances(token, { [draw.pick(traders)]: 1e50, [attacker]: 1e60 })
  }

  /** Creates a pool of two real tokens, a real and a fake token, or two fake tokens. */
  function newPool(): void {
    const token0 = draw.pick([...world.tokens, ...tokens])
    const token1 = draw.pick([...world.tokens, ...tokens])
    if (token0 === token1) return
    const address = addressOf('bad', 0x1000 + pairs.length)
    const parts = { address, isTrusted: false, factory: addressOf('bad', 0xfac) }
    pairs.push(chain.pool(token0, token1, [absurdOf(token0), absurdOf(token1)], parts))
  }

  return {
    step() {
      const roll = draw.upTo(9)
      if (roll === 0 && tokens.length < 8) newToken()
      else if (roll < 3 || pairs.length === 0) newPool()
      else {
        const pair = draw.pick(pairs)
        const side = draw.pick([pair.token0Id, pair.token1Id])
        const token = [...world.tokens, ...tokens].find(({ id }) => id === side)!
        const signer = signerOf()
        // Buys and sells within a block, or sells later at any price.
        for (let left = draw.upTo(2); left >= 0; left -= 1)
          chain.trade(pair, token, absurdOf(token), signer)
      }
    },
  }
}

type Draw = ReturnType<typeof createDraw>

function createDraw(seed: number) {
  const random = createRandom(seed)
  const upTo = (max: number) => Math.floor(random() * (max + 1))
  return {
    upTo,
    pick: <item>(items: readonly item[]): item => items[upTo(items.length - 1)]!,
    isLikely: (share: number) => random() < share,
  }
}

/** Every answer about real tokens and pools, by request. */
export async function readHonestAnswers(
  market: ServedMarket,
  { tokens, pairs, wallets }: PlayedMarket,
): Promise<Record<string, unknown>> {
  const tokenIds = tokens.map(({ address }) => `${address}-local`)
  const answers: Record<string, unknown> = {}
  const get = async (url: string, trim: (body: unknown) => unknown = (body) => body) => {
    const { status, body } = await market.get(url)
    answers[url] = { status, body: withoutPlaces(trim(body)) }
  }
  for (const path of ['price', 'search'])
    answers[path] = (
      await market.post(`/v2/tokens/${path}`, { token_ids: tokenIds, tvl_min: 0 })
    ).body
  // A fake token with a real token's name is found by search too; the order of the real ones must
  // stay the same.
  for (const keyword of ['PEPE', 'Coin', 'in', tokens[2]?.address ?? 'none'])
    for (const orderby of ['tx_volume_u_24h', 'market_cap', 'main_pair_tvl', 'fdv'])
      await get(`/v2/tokens?keyword=${keyword}&limit=300&orderby=${orderby}`, withoutFakes)
  for (const tag of ['meme', 'hot', 'new', 'tape_in_hot', 'tape_in_almost'])
    await get(`/v2/tokens/platform?tag=${tag}`)
  for (const topic of ['hot', 'meme', 'gainer', 'loser', 'new', 'local'])
    await get(`/v2/ranks?topic=${topic}`)
  await get('/v2/tokens/trending?chain=local&page_size=100')
  await get('/v2/tokens/main?chain=local')
  await get('/v2/address/smart_wallet/list?chain=local')
  for (const id of tokenIds) {
    // Untrusted pools are listed after the real ones and marked as fake.
    await get(`/v2/tokens/${id}`, withoutFakes)
    await get(`/v2/tokens/top100/${id}`)
    await get(`/v2/tokens/holders/${id}?order=asc`)
    await get(`/v2/klines/token/${id}?interval=5`)
  }
  for (const { address } of pairs) {
    await get(`/v2/pairs/${address}-local`)
    await get(`/v2/klines/pair/${address}-local?interval=1`)
    await get(`/v2/txs/${address}-local?limit=300`)
    await get(`/v2/txs/liq/${address}-local?limit=300`)
  }
  for (const address of [...wallets, wallet(0x66)]) await readWallet(get, address, tokens)
  return answers
}

async function readWallet(
  get: (url: string) => Promise<void>,
  address: string,
  tokens: readonly TokenRecord[],
): Promise<void> {
  const query = `wallet_address=${address}&chain=local`
  await get(`/v2/address/walletinfo?${query}`)
  for (const sort of ['last_txn_time', 'balance_usd', 'total_profit'])
    await get(`/v2/address/walletinfo/tokens?${query}&sort=${sort}`)
  await get(`/v2/address/tx?${query}`)
  await get(`/v2/txs/detail?account_address=${address}&chain=local`)
  for (const token of tokens.slice(0, 4))
    await get(`/v2/address/pnl?${query}&token_address=${token.address}`)
}

/** Removes rows about fake tokens and pools. */
function withoutFakes(body: unknown): unknown {
  if (Array.isArray(body)) return body.filter((row) => !isFake(row)).map(withoutFakes)
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, withoutFakes(value)]),
  )
}

function isFake(row: { token?: string; pair?: string }): boolean {
  return [row.token, row.pair].some(
    (address) => typeof address === 'string' && address.startsWith(fakeAddressPrefix),
  )
}

/**
 * Removes indexes and hashes: fake events in a block change the indexes of the events after them
 * and, in this test, their hashes.
 */
function withoutPlaces(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutPlaces)
  if (typeof body !== 'object' || body === null) return body
  const { id, tx_hash, transaction, ...rest } = body as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, withoutPlaces(value)]),
  )
}
