import { type MarketWindow, windowNames } from '../../engine/marketReads.ts'

export type WindowFields = Record<string, string | number>

/** The fields of every window, in the order of `windowNames`. */
export function allWindowFields(
  windows: readonly MarketWindow[],
  fieldsOf: (name: string, window: MarketWindow) => WindowFields,
): WindowFields {
  const parts = windows.flatMap((window, i) => Object.entries(fieldsOf(windowNames[i]!, window)))
  return Object.fromEntries(parts)
}
