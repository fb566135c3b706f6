import type {
  Holdings,
  MarketProfile,
  Pool,
  Recomputed,
  RecomputedPair,
  RecomputedToken,
  Swap,
  Trade,
} from './market.ts'
import { nativeUsdOf } from './nativeUsd.ts'
import type { Rational } from './rational.ts'
import { targetSideOf, valueTrade } from './valueTrade.ts'

type Origin = Pick<Trade, 'blockNumber' | 'timeS' | 'logIndex' | 'txHash' | 'wallet'>

/** Collects a market block by block, for any kind of chain. */
export class MarketBuilder {
  readonly #profile: MarketProfile
  readonly #decimalsOf: (token: string) => number
  readonly #pairs = new Map<string, RecomputedPair>()
  readonly #nativeUsd: (Rational | null)[] = []
  readonly #timesS: number[] = []

  constructor(profile: MarketProfile, decimals: ReadonlyMap<string, number>) {
    this.#profile = profile
    this.#decimalsOf = (token) => decimals.get(token) ?? 0
  }

  /** Values a swap at the native coin's price after the previous block. */
  addTrade(swap: Swap, origin: Origin, balances: Pick<Holdings, 'balanceOf'>): void {
    const [profile, decimalsOf] = [this.#profile, this.#decimalsOf]
    const nativeUsd = this.#nativeUsd.at(-1) ?? null
    const trade = valueTrade({ swap, origin, balances, profile, nativeUsd, decimalsOf })
    this.pairOf(swap.pool).trades.push(trade)
  }

  endBlock(pools: readonly Pool[], block: { number: number; timeS: number }): void {
    for (const pool of pools) {
      const pair = this.pairOf(pool)
      const { reserve0, reserve1, price, sqrtPriceX96, graduation } = pool
      const last = pair.timeline.at(-1)
      Object.assign(pair, { reserve0, reserve1, price, sqrtPriceX96, graduation })
      if (last?.reserve0 !== reserve0 || last.reserve1 !== reserve1 || last.price !== price)
        pair.timeline.push({ blockNumber: block.number, reserve0, reserve1, price })
    }
    this.#nativeUsd.push(nativeUsdOf(pools, this.#profile, this.#decimalsOf))
    this.#timesS.push(block.timeS)
  }

  pairOf(pool: Pool): RecomputedPair {
    const known = this.#pairs.get(pool.address)
    if (known) return known
    const targetSide = targetSideOf(pool, this.#profile.quotes)
    const quoteDecimals = this.#decimalsOf(targetSide === 0 ? pool.token1 : pool.token0)
    const pair = { ...pool, targetSide, quoteDecimals, timeline: [], trades: [] }
    this.#pairs.set(pool.address, pair)
    return pair
  }

  finish(head: Recomputed['head'], holdings: Holdings): Recomputed {
    const addresses = [...this.#pairs.values()].flatMap(({ token0, token1 }) => [token0, token1])
    return {
      profile: this.#profile,
      head,
      pairs: this.#pairs,
      tokens: new Map(addresses.map((address) => [address, this.#tokenOf(address, holdings)])),
      nativeUsd: this.#nativeUsd,
      timesS: this.#timesS,
    }
  }

  #tokenOf(address: string, holdings: Holdings): RecomputedToken {
    const { burnAddresses, lockers, outOfCirculation } = this.#profile
    const wallets = holdings.walletsOf(address)
    const heldBy = (holders: readonly string[]) =>
      holders.reduce((sum, holder) => sum + (wallets.get(holder) ?? 0n), 0n)
    return {
      address,
      decimals: this.#decimalsOf(address),
      supply: holdings.supplyOf(address),
      parts: {
        burnt: heldBy(burnAddresses),
        locked: heldBy(lockers),
        other: heldBy(outOfCirculation),
      },
      wallets,
      holders: new Map([...wallets].filter(([, amount]) => amount > 0n)),
      isWhole: holdings.isWhole(address),
    }
  }
}
