import type { ChainProfile } from '../../model/chainProfile.ts'
import type { NativeUsd } from '../../model/finishedBlock.ts'
import type { Catalog } from '../search/catalog.ts'
import { columnNames } from '../tables/columnNames.ts'
import { pairColumn, token0Of, token1Of } from '../tables/pairTable.ts'
import { scaleByTen } from '../tables/powersOfTen.ts'
import { RowTable } from '../tables/rowTable.ts'
import { tokenColumn } from '../tables/tokenTable.ts'
import type { UndoLog } from '../tables/undoLog.ts'
import type { ActivePairs } from '../windows/activePairs.ts'
import { movementMax, movementUnit } from './mainPairReviews.ts'
import { isUntold, tradedUsd } from './untoldPools.ts'

// Bindings of its own: fields of an imported constant are read at each use, those of a local one are part of the code.
const P = pairColumn
const T = tokenColumn

const column = {
  nativeUsd: 0,
  nativeLiquidityUsd: 1,
  nativeAtS: 2,
  /** What another chain said last, and when it saw that. */
  factUsd: 3,
  factAtS: 4,
  moved: 5,
  quotes: 6,
} as const

/** By address: the config may name other quote assets, or in another order, when a snapshot is read. */
function columnsOf(quotes: readonly string[]): readonly string[] {
  const names = quotes.flatMap((address) => [`${address}.usd`, `${address}.native`])
  return columnNames(column, { quotes: names })
}

/**
 * What quote assets are worth in USD and in the native coin. The row holds the rates after the last
 * block; they do not move while a block is applied. 0: not known.
 */
export class Rates {
  readonly rows: RowTable
  private readonly catalog: Catalog
  private readonly pairs: RowTable
  private readonly tokens: RowTable
  private readonly active: ActivePairs
  /** The wrapped coin, and the coin itself where venues trade it. */
  private readonly natives: readonly boolean[]
  private readonly stables: readonly boolean[]
  /** The coin is a dollar by definition: no pool prices it. */
  private readonly isNativeStable: boolean
  private readonly nativePoolUsdMin: number

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
    this.catalog = catalog
    this.pairs = options.pairs
    this.tokens = options.tokens
    this.active = options.active
    this.nativePoolUsdMin = profile.nativePoolUsdMin
    const { wrappedToken, coin } = profile.native
    this.natives = catalog.quotes.map((address) => address === wrappedToken || address === coin)
    this.stables = catalog.quotes.map((address) => profile.stables.includes(address))
    this.isNativeStable = this.natives.some((isNative, index) => isNative && this.stables[index]!)
    this.rows = new RowTable(undo, { name: 'rates', columns: columnsOf(catalog.quotes) })
    this.rows.alloc()
    const page = this.rows.page(1)
    if (this.isNativeStable) page[this.rows.at(1) + column.nativeUsd] = 1
    this.fillQuotes(page, this.rows.at(1))
  }

  get nativeUsd(): number {
    return this.rows.page(1)[this.rows.at(1) + column.nativeUsd]!
  }

  get nativeLiquidityUsd(): number {
    return this.rows.page(1)[this.rows.at(1) + column.nativeLiquidityUsd]!
  }

  /** When one of its pools last moved, or when another chain saw it; 0 when it is not known. */
  get nativeAtS(): number {
    return this.rows.page(1)[this.rows.at(1) + column.nativeAtS]!
  }

  /** How far rates have moved against each other since the first block, in units of `movementUnit`. */
  get moved(): number {
    return this.rows.page(1)[this.rows.at(1) + column.moved]!
  }

  /** By its place in the config's list, -1: no quote asset. An array is not asked for that: it would look for a property. */
  isNative(quoteIndex: number): boolean {
    return quoteIndex >= 0 && this.natives[quoteIndex]!
  }

  isStable(quoteIndex: number): boolean {
    return quoteIndex >= 0 && this.stables[quoteIndex]!
  }

  /** The pool is deep enough to have a say in the native price. */
  pricesNative(pairId: number): boolean {
    if (this.isNativeStable) return false
    if (this.nativeLiquidityUsd === 0) return this.untoldUsd(pairId) > 0
    const { valueUsd } = this.nativePool(pairId)
    return valueUsd > 0 && valueUsd >= this.nativePoolUsdMin
  }

  /** What the pool holds by its own price. */
  nativePoolUsd(pairId: number): number {
    return this.nativePool(pairId).valueUsd
  }

  quoteUsd(quoteIndex: number): number {
    return this.rows.page(1)[this.rows.at(1) + column.quotes + quoteIndex * 2]!
  }

  quoteNative(quoteIndex: number): number {
    return this.rows.page(1)[this.rows.at(1) + column.quotes + quoteIndex * 2 + 1]!
  }

  /** Before all events: a quote asset may have come without decimals, or have got them since the last block. */
  startBlock(): void {
    this.rows.save(1)
    this.refreshQuotes()
  }

  /** After all events of a block. Quotes higher in the list come first, so each route is ready. */
  endBlock(fact: NativeUsd | null): void {
    const page = this.rows.page(1)
    const at = this.rows.at(1)
    if (fact !== null) {
      page[at + column.factUsd] = fact.usd
      page[at + column.factAtS] = fact.atS
    }
    const { usd, liquidityUsd, atS } = this.nativeFromPools()
    page[at + column.nativeUsd] = usd === 0 ? page[at + column.factUsd]! : usd
    page[at + column.nativeAtS] = usd === 0 ? page[at + column.factAtS]! : atS
    page[at + column.nativeLiquidityUsd] = liquidityUsd
    this.fillQuotes(page, at)
  }

  /** Once more after main pairs were judged: a quote asset may have another one now. */
  refreshQuotes(): void {
    this.fillQuotes(this.rows.page(1), this.rows.at(1))
  }

  /**
   * A pool's worth by its own price: no rate is needed to weigh it. Where nobody told of any pool what it holds, what
   * they traded against stablecoins weighs instead.
   */
  private nativeFromPools(): { usd: number; liquidityUsd: number; atS: number } {
    if (this.isNativeStable) return { usd: 1, liquidityUsd: 0, atS: 0 }
    const { weightUsd: liquidityUsd, ...told } = this.meanOfPools(false)
    if (liquidityUsd > 0) return { ...told, liquidityUsd }
    const { usd, atS } = this.meanOfPools(true)
    return { usd, atS, liquidityUsd: 0 }
  }

  private meanOfPools(isByTrades: boolean): { usd: number; weightUsd: number; atS: number } {
    let weighted = 0
    let weightUsd = 0
    let atS = 0
    let only = 0
    let count = 0
    for (const pairId of this.catalog.nativePools) {
      const { price, valueUsd } = this.nativePool(pairId)
      const weight = isByTrades ? this.untoldUsd(pairId) : valueUsd
      if (price === 0 || weight === 0) continue
      // How much was traded says nothing of how deep a pool is: it only weighs one against another.
      if (!isByTrades && weight < this.nativePoolUsdMin) continue
      weighted += price * weight
      weightUsd += weight
      only = price
      count += 1
      const row = pairId + 1
      atS = Math.max(atS, this.pairs.page(row)[this.pairs.at(row) + P.updatedAtS]!)
    }
    // Alone, its price is the mean: weighing it would only round it.
    if (count <= 1) return { usd: only, weightUsd, atS }
    return { usd: weighted / weightUsd, weightUsd, atS }
  }

  /** What was traded on a pool of which nobody told what it holds; 0 for others. */
  private untoldUsd(pairId: number): number {
    const page = this.pairs.page(pairId + 1)
    const at = this.pairs.at(pairId + 1)
    return isUntold(page, at) ? tradedUsd(this.active, page, at) : 0
  }

  private nativePool(pairId: number): { price: number; valueUsd: number } {
    const page = this.pairs.page(pairId + 1)
    const at = this.pairs.at(pairId + 1)
    if (page[at + P.price] === 0) return { price: 0, valueUsd: 0 }
    const token0Id = token0Of(page, at)
    const token1Id = token1Of(page, at)
    const isNative0 = this.isNative(this.catalog.quoteIndex(token0Id))
    const isNativeTarget = (page[at + P.targetSide] === 0) === isNative0
    const price = isNativeTarget ? page[at + P.price]! : 1 / page[at + P.price]!
    const amount0 = scaleByTen(page[at + P.reserve0]!, -this.catalog.decimals(token0Id))
    const amount1 = scaleByTen(page[at + P.reserve1]!, -this.catalog.decimals(token1Id))
    return { price, valueUsd: isNative0 ? amount0 * price + amount1 : amount1 * price + amount0 }
  }

  private fillQuotes(page: Float64Array, at: number): void {
    const nativeUsd = page[at + column.nativeUsd]!
    // Factors by which quotes rose and fell; stablecoins stand.
    let highest = 1
    let lowest = 1
    for (let index = 0; index < this.stables.length; index += 1) {
      let usd = 0
      let native = 0
      // Of one without decimals no amount is known, and what a whole one is worth is of no use.
      const isScaled = this.isScaled(index)
      if (isScaled && this.stables[index]) {
        usd = 1
        native = nativeUsd === 0 ? 0 : 1 / nativeUsd
      } else if (isScaled && this.natives[index]) {
        usd = nativeUsd
        native = 1
      } else if (isScaled) {
        const mainRow = this.mainPairRow(index)
        if (mainRow !== 0) {
          const pair = this.pairs.page(mainRow)
          const pairAt = this.pairs.at(mainRow)
          const through = at + column.quotes + pair[pairAt + P.quoteIndex]! * 2
          usd = pair[pairAt + P.price]! * page[through]!
          native = pair[pairAt + P.price]! * page[through + 1]!
        }
      }
      const before = page[at + column.quotes + index * 2]!
      if (usd !== before) {
        // One that is priced for the first time or no longer has moved beyond all bounds.
        const factor = before === 0 || usd === 0 ? Number.POSITIVE_INFINITY : usd / before
        highest = Math.max(highest, factor)
        lowest = Math.min(lowest, factor)
      }
      page[at + column.quotes + index * 2] = usd
      page[at + column.quotes + index * 2 + 1] = native
    }
    // Rounded up, and a factor less 1 is more than its logarithm: what is watched is due too early rather than too late.
    const movement = Math.ceil((highest / lowest - 1) * movementUnit)
    page[at + column.moved]! += movement < movementMax ? movement : movementMax
  }

  /** Nobody trades one that is not in the catalog yet. */
  private isScaled(quoteIndex: number): boolean {
    const tokenId = this.catalog.quoteToken(quoteIndex)
    return tokenId < 0 || this.catalog.isScaled(tokenId)
  }

  private mainPairRow(quoteIndex: number): number {
    const tokenId = this.catalog.quoteToken(quoteIndex)
    if (tokenId < 0) return 0
    return this.tokens.page(tokenId + 1)[this.tokens.at(tokenId + 1) + T.mainPair]!
  }
}
