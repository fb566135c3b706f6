import { type MarketWindow, windowNames } from '../../engine/marketReads.ts'
import { decimalOfE8 } from '../../lib/decimal.ts'
import { decimalOrZero } from '../rest/wireNumber.ts'

/** The names of a row's fields, for a window. */
export type WindowFieldNames = {
  [field in keyof typeof fieldTexts]: (window: string) => string
}

const fieldTexts = {
  priceChange: ({ changePercent }: MarketWindow) => `"${decimalOrZero(changePercent)}"`,
  volume: (window: MarketWindow) =>
    `"${decimalOfE8(window.buyVolumeUsdE8 + window.sellVolumeUsdE8)}"`,
  buyVolume: ({ buyVolumeUsdE8 }: MarketWindow) => `"${decimalOfE8(buyVolumeUsdE8)}"`,
  sellVolume: ({ sellVolumeUsdE8 }: MarketWindow) => `"${decimalOfE8(sellVolumeUsdE8)}"`,
  organicVolume: ({ organicVolumeUsdE8 }: MarketWindow) => `"${decimalOfE8(organicVolumeUsdE8)}"`,
  count: ({ buyCount, sellCount }: MarketWindow) => String(buyCount + sellCount),
  buyCount: ({ buyCount }: MarketWindow) => String(buyCount),
  sellCount: ({ sellCount }: MarketWindow) => String(sellCount),
  makers: ({ makers }: MarketWindow) => String(makers),
  buyers: ({ buyers }: MarketWindow) => String(buyers),
  sellers: ({ sellers }: MarketWindow) => String(sellers),
}

/** Members of windows as text, each after a comma. */
export type WindowText = {
  of(windows: readonly MarketWindow[]): string
  /** Where no window has a trade. */
  empty: string
}

const emptyWindow: MarketWindow = {
  ...{ buyVolumeUsdE8: 0n, sellVolumeUsdE8: 0n, organicVolumeUsdE8: 0n, amountRaw: 0n },
  ...{ buyCount: 0, sellCount: 0, makers: 0, buyers: 0, sellers: 0 },
  ...{ highUsd: null, lowUsd: null, changePercent: null, changesAtS: Number.POSITIVE_INFINITY },
}

/** Sixty-six names made for every row would cost more than the market behind them: they are made once. */
export function createWindowText(names: WindowFieldNames): WindowText {
  const fields = Object.keys(fieldTexts) as (keyof typeof fieldTexts)[]
  const texts = fields.map((field) => fieldTexts[field])
  const starts = windowNames.map((window) => fields.map((field) => `,"${names[field](window)}":`))
  function of(windows: readonly MarketWindow[]): string {
    let text = ''
    for (let at = 0; at < windows.length; at += 1) {
      const window = windows[at]!
      const ofWindow = starts[at]!
      for (let field = 0; field < texts.length; field += 1)
        text += ofWindow[field]! + texts[field]!(window)
    }
    return text
  }
  return { of, empty: of(windowNames.map(() => emptyWindow)) }
}
