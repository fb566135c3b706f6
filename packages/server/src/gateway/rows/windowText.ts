import type { Fields } from '@chaintape/protocol/descriptions'
import { type MarketWindow, windowNames } from '../../engine/marketReads.ts'
import { decimalOfE8 } from '../../lib/decimal.ts'
import { decimalOrZero } from './wireNumber.ts'

/** Encoders of a window's figures, by figure. */
export const ofWindow = {
  priceChange: ({ changePercent }: MarketWindow) => decimalOrZero(changePercent),
  volume: (window: MarketWindow) => decimalOfE8(window.buyVolumeUsdE8 + window.sellVolumeUsdE8),
  buyVolume: ({ buyVolumeUsdE8 }: MarketWindow) => decimalOfE8(buyVolumeUsdE8),
  sellVolume: ({ sellVolumeUsdE8 }: MarketWindow) => decimalOfE8(sellVolumeUsdE8),
  organicVolume: ({ organicVolumeUsdE8 }: MarketWindow) => decimalOfE8(organicVolumeUsdE8),
  count: ({ buyCount, sellCount }: MarketWindow) => String(buyCount + sellCount),
  buyCount: ({ buyCount }: MarketWindow) => String(buyCount),
  sellCount: ({ sellCount }: MarketWindow) => String(sellCount),
  makers: ({ makers }: MarketWindow) => String(makers),
  buyers: ({ buyers }: MarketWindow) => String(buyers),
  sellers: ({ sellers }: MarketWindow) => String(sellers),
} as const

/** Encodes the members of all windows, each with a leading comma. */
export type WindowText = {
  of(windows: readonly MarketWindow[]): string
  /** The encoded members when no window has a trade. */
  empty: string
}

const emptyWindow: MarketWindow = {
  buyVolumeUsdE8: 0n,
  sellVolumeUsdE8: 0n,
  organicVolumeUsdE8: 0n,
  amountRaw: 0n,
  buyCount: 0,
  sellCount: 0,
  makers: 0,
  buyers: 0,
  sellers: 0,
  highUsd: null,
  lowUsd: null,
  changePercent: null,
  changesAtS: Number.POSITIVE_INFINITY,
}

/**
 * Creates the encoder of a row's windows. A star in a field's name is replaced by the window's
 * name. The 66 names are built once: building them per row would cost more than reading the market.
 */
export function createWindowText<const fields extends Fields>(
  fields: fields,
  textOf: { readonly [name in keyof fields]: (window: MarketWindow) => string },
): WindowText {
  const texts = Object.keys(fields).map((name) => textOf[name as keyof fields])
  // The closing quote of a decimal is written before the next name.
  const quotes = Object.values(fields).map(({ shape }) => (shape.is === 'decimal' ? '"' : ''))
  const starts = windowNames.map((window) =>
    Object.keys(fields).map((name, at) => {
      const quoteBefore = at === 0 ? '' : quotes[at - 1]!
      return `${quoteBefore},"${name.replace('*', window)}":${quotes[at]!}`
    }),
  )
  const end = quotes.at(-1)!
  function of(windows: readonly MarketWindow[]): string {
    let text = ''
    for (let at = 0; at < windows.length; at += 1) {
      const window = windows[at]!
      const startsOf = starts[at]!
      for (let field = 0; field < texts.length; field += 1)
        text += startsOf[field]! + texts[field]!(window)
      text += end
    }
    return text
  }
  return { of, empty: of(windowNames.map(() => emptyWindow)) }
}
