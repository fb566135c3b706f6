import type { ChainProfile } from '../../model/chainProfile.ts'
import type { NativeUsdPrice } from '../../model/finishedBlock.ts'
import type { Catalog } from '../search/catalog.ts'
import { scaleByTen } from '../tables/bigWords.ts'
import { pairColumn, token0Of, token1Of } from '../tables/pairTable.ts'
import { columnNames, RowTable } from '../tables/rowTable.ts'
import { tokenColumn } from '../tables/tokenTable.ts'
import type { UndoLog } from '../tables/undoLog.ts'
import type { ActivePairs } from '../windows/activePairs.ts'
import { movementMax, movementUnit } from './mainPairReviews.ts'
import { dayVolumeUsd, hasUnknownReserves } from './reserves.ts'

// Local alias: V8 inlines fields of a local constant, but not of an imported one.
const P = pairColumn
const T = tokenColumn

const column = {
  nativeUsd: 0,
  nativeLiquidityUsd: 1,
  nativeAtS: 2,
  /** Newest native price reported from another chain, and its time there. */
  factUsd: 3,
  factAtS: 4,
  moved: 5,
  quotes: 6,
} as const

/**
 * Columns are named by address: a restart may have another list of quote assets, or another order.
 */
function columnsOf(quotes: readonly string[]): readonly string[] {
  const names = quotes.flatMap((address) => [`${address}.usd`, `${address}.native`])
  return columnNames(column, { quotes: names })
}

/**
 * Prices of quote assets in USD and in the native coin, 0 if unknown. The row holds the rates after
 * the last block; they stay fixed while a block is applied.
 */
export class Rates {
  readonly rows: RowTable
  readonly #catalog: Catalog
  readonly #pairs: RowTable
  readonly #tokens: RowTable
  readonly #active: ActivePairs
  /**
   * Indexed by quote asset: true for the wrapped native coin, and for the coin itself where venues
   * trade it.
   */
  readonly #natives: readonly boolean[]
  readonly #stables: readonly boolean[]
  /** The native coin is a stablecoin: it is worth 1 USD by definition and no pool prices it. */
  readonly #isNativeStable: boolean
  readonly #nativePoolUsdMin: number

  constructor(
    undo: UndoLog,
    options: {
      profile: ChainProfile
      catalog: Catalog
      pairs: RowTable
      tokens: RowTable
      active: ActivePairs
    },
  ) {
    const { profile, catalog } = options
    this.#catalog = catalog
    this.#pairs = options.pairs
    this.#tokens = options.tokens
    this.#active = options.active
    this.#nativePoolUsdMin = profile.nativePoolUsdMin
    const { wrappedToken, coin } = profile.native
    this.#natives = catalog.quotes.map((address) => address === wrappedToken || address === coin)
    this.#stables = catalog.quotes.map((address) => profile.stables.includes(address))
    this.#isNativeStable = this.#natives.some(
      (isNative, index) => isNative && this.#stables[index]!,
    )
    this.rows = new RowTable(undo, { name: 'rates', columns: columnsOf(catalog.quotes) })
    this.rows.alloc()
    const page = this.rows.page(1)
    if (this.#isNativeStable) page[this.rows.at(1) + column.nativeUsd] = 1
    this.#updateQuoteRates(page, this.rows.at(1))
  }

  get nativeUsd(): number {
    return this.rows.page(1)[this.rows.at(1) + column.nativeUsd]!
  }

  get nativeLiquidityUsd(): number {
    return this.rows.page(1)[this.rows.at(1) + column.nativeLiquidityUsd]!
  }

  /**
   * Time at which one of the native pools last changed or another chain reported the price; 0 if
   * unknown.
   */
  get nativeAtS(): number {
    return this.rows.page(1)[this.rows.at(1) + column.nativeAtS]!
  }

  /**
   * Total movement of rates against each other since the first block, in units of `movementUnit`.
   */
  get totalMovement(): number {
    return this.rows.page(1)[this.rows.at(1) + column.moved]!
  }

  /**
   * True if the quote asset at this position is the native coin; -1 means no quote asset. The check
   * for -1 avoids a slow property lookup on the array.
   */
  isNative(quoteIndex: number): boolean {
    return quoteIndex >= 0 && this.#natives[quoteIndex]!
  }

  isStable(quoteIndex: number): boolean {
    return quoteIndex >= 0 && this.#stables[quoteIndex]!
  }

  /** True if the pool is deep enough to count in the native price. */
  pricesNative(pairId: number): boolean {
    if (this.#isNativeStable) return false
    if (this.nativeLiquidityUsd === 0) return this.#unknownPoolVolumeUsd(pairId) > 0
    const { valueUsd } = this.#nativePoolValue(pairId)
    return valueUsd > 0 && valueUsd >= this.#nativePoolUsdMin
  }

  /** USD value of a native pool's reserves at its own price. */
  nativePoolUsd(pairId: number): number {
    return this.#nativePoolValue(pairId).valueUsd
  }

  quoteUsd(quoteIndex: number): number {
    return this.rows.page(1)[this.rows.at(1) + column.quotes + quoteIndex * 2]!
  }

  quoteNative(quoteIndex: number): number {
    return this.rows.page(1)[this.rows.at(1) + column.quotes + quoteIndex * 2 + 1]!
  }

  /**
   * Must be called before all events of a block: a quote asset may have been added without
   * decimals, or got them since the last block.
   */
  startBlock(): void {
    this.rows.save(1)
    this.refreshQuotes()
  }

  /**
   * Must be called after all events of a block. Quote assets are priced in list order, so the
   * assets on an asset's price route come first.
   */
  endBlock(fact: NativeUsdPrice | null): void {
    const page = this.rows.page(1)
    const at = this.rows.at(1)
    if (fact !== null) {
      page[at + column.factUsd] = fact.usd
      page[at + column.factAtS] = fact.atS
    }
    const { usd, liquidityUsd, atS } = this.#nativeFromPools()
    page[at + column.nativeUsd] = usd === 0 ? page[at + column.factUsd]! : usd
    page[at + column.nativeAtS] = usd === 0 ? page[at + column.factAtS]! : atS
    page[at + column.nativeLiquidityUsd] = liquidityUsd
    this.#updateQuoteRates(page, at)
  }

  /** Prices quote assets again after main pairs were judged: one may have a new main pair. */
  refreshQuotes(): void {
    this.#updateQuoteRates(this.rows.page(1), this.rows.at(1))
  }

  /**
   * Native price as the mean of native pools, each weighed by its value at its own price, so that
   * no rate is needed. If the reserves of all pools are unknown, their trading volume against
   * stablecoins is the weight.
   */
  #nativeFromPools(): { usd: number; liquidityUsd: number; atS: number } {
    if (this.#isNativeStable) return { usd: 1, liquidityUsd: 0, atS: 0 }
    const { weightUsd: liquidityUsd, ...mean } = this.#meanOfPools(false)
    if (liquidityUsd > 0) return { ...mean, liquidityUsd }
    const { usd, atS } = this.#meanOfPools(true)
    return { usd, atS, liquidityUsd: 0 }
  }

  #meanOfPools(isByTrades: boolean): { usd: number; weightUsd: number; atS: number } {
    let weighted = 0
    let weightUsd = 0
    let atS = 0
    let only = 0
    let count = 0
    for (const pairId of this.#catalog.nativePools) {
      const { price, valueUsd } = this.#nativePoolValue(pairId)
      const weight = isByTrades ? this.#unknownPoolVolumeUsd(pairId) : valueUsd
      if (price === 0 || weight === 0) continue
      // Trading volume says nothing about depth, so the minimum depth does not apply to it.
      if (!isByTrades && weight < this.#nativePoolUsdMin) continue
      weighted += price * weight
      weightUsd += weight
      only = price
      count += 1
      const row = pairId + 1
      atS = Math.max(atS, this.#pairs.page(row)[this.#pairs.at(row) + P.updatedAtS]!)
    }
    // The mean of one pool is its price: weighing it would only add a rounding error.
    if (count <= 1) return { usd: only, weightUsd, atS }
    return { usd: weighted / weightUsd, weightUsd, atS }
  }

  /** Trading volume of a pool whose reserves are unknown; 0 for other pools. */
  #unknownPoolVolumeUsd(pairId: number): number {
    const page = this.#pairs.page(pairId + 1)
    const at = this.#pairs.at(pairId + 1)
    return hasUnknownReserves(page, at) ? dayVolumeUsd(this.#active, page, at) : 0
  }

  #nativePoolValue(pairId: number): { price: number; valueUsd: number } {
    const page = this.#pairs.page(pairId + 1)
    const at = this.#pairs.at(pairId + 1)
    if (page[at + P.price] === 0) return { price: 0, valueUsd: 0 }
    const token0Id = token0Of(page, at)
    const token1Id = token1Of(page, at)
    const isNative0 = this.isNative(this.#catalog.quoteIndex(token0Id))
    const isNativeTarget = (page[at + P.targetSide] === 0) === isNative0
    const price = isNativeTarget ? page[at + P.price]! : 1 / page[at + P.price]!
    const amount0 = scaleByTen(page[at + P.reserve0]!, -this.#catalog.decimals(token0Id))
    const amount1 = scaleByTen(page[at + P.reserve1]!, -this.#catalog.decimals(token1Id))
    return { price, valueUsd: isNative0 ? amount0 * price + amount1 : amount1 * price + amount0 }
  }

  #updateQuoteRates(page: Float64Array, at: number): void {
    const nativeUsd = page[at + column.nativeUsd]!
    // Largest factors by which quote assets rose and fell; stablecoins have a factor of 1.
    let highest = 1
    let lowest = 1
    for (let index = 0; index < this.#stables.length; index += 1) {
      let usd = 0
      let native = 0
      // Without decimals no amount of the asset is known, so its price would be useless.
      const isScaled = this.#isScaled(index)
      if (isScaled && this.#stables[index]) {
        usd = 1
        native = nativeUsd === 0 ? 0 : 1 / nativeUsd
      } else if (isScaled && this.#natives[index]) {
        usd = nativeUsd
        native = 1
      } else if (isScaled) {
        const mainRow = this.#mainPairRow(index)
        if (mainRow !== 0) {
          const pair = this.#pairs.page(mainRow)
          const pairAt = this.#pairs.at(mainRow)
          const through = at + column.quotes + pair[pairAt + P.quoteIndex]! * 2
          usd = pair[pairAt + P.price]! * page[through]!
          native = pair[pairAt + P.price]! * page[through + 1]!
        }
      }
      const before = page[at + column.quotes + index * 2]!
      if (usd !== before) {
        // An asset that gains or loses its price counts as an unlimited movement.
        const factor = before === 0 || usd === 0 ? Number.POSITIVE_INFINITY : usd / before
        highest = Math.max(highest, factor)
        lowest = Math.min(lowest, factor)
      }
      page[at + column.quotes + index * 2] = usd
      page[at + column.quotes + index * 2 + 1] = native
    }
    // Rounded up, and a factor minus 1 exceeds its logarithm: checks may be early but never late.
    const movement = Math.ceil((highest / lowest - 1) * movementUnit)
    page[at + column.moved]! += movement < movementMax ? movement : movementMax
  }

  /**
   * True if the asset's decimals are known, or its token is not in the catalog yet and so has no
   * trades.
   */
  #isScaled(quoteIndex: number): boolean {
    const tokenId = this.#catalog.quoteToken(quoteIndex)
    return tokenId < 0 || this.#catalog.isScaled(tokenId)
  }

  #mainPairRow(quoteIndex: number): number {
    const tokenId = this.#catalog.quoteToken(quoteIndex)
    if (tokenId < 0) return 0
    return this.#tokens.page(tokenId + 1)[this.#tokens.at(tokenId + 1) + T.mainPair]!
  }
}
