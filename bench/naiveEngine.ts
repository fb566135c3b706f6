// The engine that one would write first, as baseline: pairs in a Map by address, plain objects,
// bigint sums. It has the same klines, windows and wallets, but no undo, main pairs, search or
// trending.
import type { FinishedBlock, FinishedSwap } from '../packages/server/src/model/finishedBlock.ts'
import { klineIntervalsS, klineStartS } from '../packages/server/src/model/klines/kline.ts'

type Bar = {
  startS: number
  open: number
  high: number
  low: number
  close: number
  openNative: number
  highNative: number
  lowNative: number
  closeNative: number
  volumeUsdE8: bigint
  volumeNativeRaw: bigint
  count: number
}

type Bucket = {
  buyUsdE8: bigint
  sellUsdE8: bigint
  amountRaw: bigint
  buys: number
  sells: number
  high: number
  low: number
}

type Pair = {
  reserve0: bigint
  reserve1: bigint
  isNativePool: boolean
  close: number
  closeNative: number
  bars: (Bar | null)[]
  minutes: Map<number, Bucket>
  fine: Map<number, Bucket>
  makers: Map<string, { boughtAt: number; soldAt: number }>
}

const e8 = 100_000_000n

export function createNaiveEngine() {
  const addresses: string[] = []
  const pairs = new Map<string, Pair>()
  let nativeUsdE8 = 3_000n * e8

  function addTo(
    buckets: Map<number, Bucket>,
    at: number,
    kept: number,
    swap: FinishedSwap,
    usdE8: bigint,
    price: number,
  ) {
    let bucket = buckets.get(at)
    if (!bucket) {
      bucket = {
        buyUsdE8: 0n,
        sellUsdE8: 0n,
        amountRaw: 0n,
        buys: 0,
        sells: 0,
        high: price,
        low: price,
      }
      buckets.set(at, bucket)
      for (const key of buckets.keys()) {
        if (key > at - kept) break
        buckets.delete(key)
      }
    }
    if (swap.amount0 < 0n) {
      bucket.buyUsdE8 += usdE8
      bucket.buys += 1
      bucket.amountRaw -= swap.amount0
    } else {
      bucket.sellUsdE8 += usdE8
      bucket.sells += 1
      bucket.amountRaw += swap.amount0
    }
    bucket.high = Math.max(bucket.high, price)
    bucket.low = Math.min(bucket.low, price)
  }

  function applySwap(swap: FinishedSwap, timeS: number, out: object[]): Pair {
    const pair = pairs.get(addresses[swap.pairId]!)!
    pair.reserve0 = swap.reserve0
    pair.reserve1 = swap.reserve1
    const amount1 = swap.amount1 < 0n ? -swap.amount1 : swap.amount1
    const usdE8 = pair.isNativePool ? amount1 * 100n : (amount1 * nativeUsdE8) / 10n ** 18n
    const priceNative = pair.isNativePool ? 1 : swap.priceRaw
    const price = pair.isNativePool
      ? swap.priceRaw * 1e12
      : (swap.priceRaw * Number(nativeUsdE8)) / 1e8
    klineIntervalsS.forEach((intervalS, interval) => {
      const startS = klineStartS(timeS, intervalS)
      let bar = pair.bars[interval]
      if (!bar || bar.startS !== startS) {
        if (bar) out.push({ type: 'kline', bar, interval })
        const open = pair.close || price
        const openNative = pair.closeNative || priceNative
        bar = {
          startS,
          open,
          high: open,
          low: open,
          close: open,
          openNative,
          highNative: openNative,
          lowNative: openNative,
          closeNative: openNative,
          volumeUsdE8: 0n,
          volumeNativeRaw: 0n,
          count: 0,
        }
        pair.bars[interval] = bar
      }
      bar.high = Math.max(bar.high, price)
      bar.low = Math.min(bar.low, price)
      bar.close = price
      bar.highNative = Math.max(bar.highNative, priceNative)
      bar.lowNative = Math.min(bar.lowNative, priceNative)
      bar.closeNative = priceNative
      bar.volumeUsdE8 += usdE8
      bar.volumeNativeRaw += amount1
      bar.count += 1
    })
    pair.close = price
    pair.closeNative = priceNative
    addTo(pair.minutes, Math.floor(timeS / 60), 1_440, swap, usdE8, price)
    addTo(pair.fine, Math.floor(timeS / 5), 60, swap, usdE8, price)
    const maker = pair.makers.get(swap.wallet) ?? { boughtAt: 0, soldAt: 0 }
    if (swap.amount0 < 0n) maker.boughtAt = timeS
    else maker.soldAt = timeS
    pair.makers.set(swap.wallet, maker)
    out.push({ type: 'swap', swap, usdE8, price })
    return pair
  }

  function apply({ block }: { block: FinishedBlock }): object[] {
    const out: object[] = []
    for (const { id, address } of block.pairs) {
      addresses.push(address)
      pairs.set(address, {
        reserve0: 0n,
        reserve1: 0n,
        isNativePool: id === 0,
        close: 0,
        closeNative: 0,
        bars: klineIntervalsS.map(() => null),
        minutes: new Map(),
        fine: new Map(),
        makers: new Map(),
      })
    }
    const traded = new Set<Pair>()
    for (const event of block.events)
      if (event.type === 'swap') traded.add(applySwap(event, block.ref.timeS, out))
    for (const pair of traded) out.push({ type: 'openKlines', pair })
    const native = pairs.get(addresses[0] ?? '')
    if (native && native.reserve0 > 0n)
      nativeUsdE8 = (native.reserve1 * 100n * 10n ** 18n) / native.reserve0
    return out
  }

  return { apply }
}
