// A market of many tokens that is the same for the same count, so that every process knows its ids.
import { createHash } from 'node:crypto'
import type { PairRecord } from '../../packages/server/src/model/pair.ts'
import type { TokenRecord } from '../../packages/server/src/model/token.ts'
import { createMemoryStore } from '../../test/support/memoryStore.ts'
import { createRandom } from '../../test/support/random.ts'
import { createServedChain, type ServedChain, wallet } from '../../test/support/servedChain.ts'

export const chainName = 'local'
const tokensPerBlock = 1_000
const swapsPerBlock = 500
const walletCount = 20_000
const daySeconds = 86_400
// Share of tokens that belong to launch platforms. The engine lists 10,000 of each state.
const launchShare = 0.06
const secondPairShare = 0.2

// Every market has hundreds of tokens with these words: the longest lists of the search index.
export const commonWords = ['pepe', 'doge', 'inu', 'elon', 'moon', 'cat', 'trump', 'baby', 'meme']

type Random = () => number

/** Ids 0 and 1 are the wrapped coin and the stablecoin of the chain's profile. */
export function tokenAddress(id: number): string {
  return `0x${createHash('sha1').update(`token ${id}`).digest('hex')}`
}

export function letters(random: Random, length: number): string {
  let text = ''
  while (text.length < length) text += String.fromCharCode(97 + Math.floor(random() * 26))
  return text
}

function symbolOf(random: Random): string {
  const common = commonWords[Math.floor(random() * commonWords.length)]!
  const text = random() < 0.3 ? common : letters(random, 3 + Math.floor(random() * 4))
  return text.toUpperCase()
}

export type RestMarket = {
  chain: ServedChain
  pairs: readonly PairRecord[]
  /** Puts trades into the next block, most of them on few pairs. */
  orderSwaps(swaps: number): void
}

/** A rank by Zipf's law: each power of ten is equally likely. */
export function zipf(random: Random, count: number): number {
  return Math.min(count - 1, Math.floor(count ** random()))
}

/**
 * A market of `tokenCount` tokens, of which `tradedCount` have pairs and traded in the last 24
 * hours.
 */
export function createRestMarket(tokenCount: number, tradedCount: number): RestMarket {
  const random = createRandom(11)
  // This store keeps no history: another bench measures history rows.
  const store = { ...createMemoryStore(), add: () => undefined }
  const chain = createServedChain({ name: chainName, store })
  const weth = chain.token({ symbol: 'WETH', name: 'Wrapped Ether' })
  const usdc = chain.token({ symbol: 'USDC', name: 'USD Coin', decimals: 6 })
  const pairs = [chain.pool(weth, usdc, [100_000, 200_000_000])]
  chain.mine()
  for (let id = 2; id < tokenCount; id += 1) {
    const token = addToken(chain, random, id)
    if (pairs.length <= tradedCount) pairs.push(...addPairs(chain, random, token, { weth, usdc }))
    if (id % tokensPerBlock === 0) chain.mine(0)
  }
  chain.mine(0)

  function swap(pair: PairRecord): void {
    const isBuy = random() < 0.5
    // Amounts other than the pool's initial ones, small against its depth.
    const share = 0.001 + random() * 0.01
    const buyWith = pair.token1Id === usdc.id && pair.id !== 0 ? 20_000 : pair.id === 0 ? 1e6 : 20
    const tokenIn = { id: isBuy ? pair.token1Id : pair.token0Id, decimals: 18 } as TokenRecord
    if (tokenIn.id === usdc.id) tokenIn.decimals = 6
    const amount = isBuy ? buyWith * share : pair.id === 0 ? 500 * share : 1_000_000 * share
    chain.trade(pair, tokenIn, amount, wallet(1 + Math.floor(random() * walletCount)))
  }

  const swapCount = pairs.length * 3
  const blockCount = Math.ceil(swapCount / swapsPerBlock)
  // Covers half a day, so that no trade leaves a window during the measurement.
  const stepS = Math.floor(daySeconds / 2 / blockCount)
  for (let done = 0, at = 0; done < swapCount; done += 1) {
    // Trades each pair once, and twice as often a pair by rank.
    if (done % 3 === 0) swap(pairs[at++]!)
    else swap(pairs[zipf(random, pairs.length)]!)
    if (done % swapsPerBlock === 0) chain.mine(stepS)
  }
  chain.mine(1)
  return {
    chain,
    pairs,
    orderSwaps(swaps) {
      for (let left = swaps; left > 0; left -= 1) swap(pairs[zipf(random, pairs.length)]!)
    },
  }
}

function addToken(chain: ServedChain, random: Random, id: number): TokenRecord {
  const symbol = symbolOf(random)
  const name = `${symbol} ${random() < 0.5 ? 'Coin' : letters(random, 6)}`
  const token = chain.token({ address: tokenAddress(id), symbol, name })
  chain.supply(token, { total: 100_000_000, burnt: 1_000, holders: id % 5_000 })
  return token
}

function addPairs(
  chain: ServedChain,
  random: Random,
  token: TokenRecord,
  { weth, usdc }: { weth: TokenRecord; usdc: TokenRecord },
): PairRecord[] {
  const depth = 10 + Math.floor(random() * 90)
  if (random() < launchShare) {
    const curve = chain.pool(token, weth, [80_000_000, depth], { kind: 'curve' })
    chain.launch(token, curve)
    chain.fill(curve, Math.floor(random() * 999_999))
    return [curve]
  }
  const main = chain.pool(token, weth, [50_000_000, depth])
  if (random() > secondPairShare) return [main]
  return [main, chain.pool(token, usdc, [5_000_000, depth * 200])]
}
