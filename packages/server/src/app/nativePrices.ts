import type { Config } from '../config/schema.ts'
import type { ChainRuntime } from './chainRuntime.ts'

export type NativePrices = {
  /** The chain has applied something: those that take the price of their coin from it are told. */
  applied(chain: string): void
}

/** Chains without a price of their coin take it from another: it becomes a fact in each of their blocks. */
export function createNativePrices(
  { chains }: Pick<Config, 'chains'>,
  runtimes: ReadonlyMap<string, Pick<ChainRuntime, 'engine' | 'setNativeUsd'>>,
): NativePrices {
  /** By chain, those that take its price. */
  const takers = new Map<string, string[]>()
  for (const [name, { native_usd_from: source }] of Object.entries(chains))
    if (source !== undefined) takers.set(source, [...(takers.get(source) ?? []), name])
  return {
    applied(chain) {
      const names = takers.get(chain)
      if (names === undefined) return
      const engine = runtimes.get(chain)?.engine
      const usd = engine?.nativeUsd() ?? null
      if (engine === undefined || usd === null) return
      const price = { usd, atS: engine.nativeAtS() }
      for (const name of names) runtimes.get(name)?.setNativeUsd(price)
    },
  }
}
