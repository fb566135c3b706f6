import { expect, test } from 'vitest'
import type { Config } from '../config/schema.ts'
import type { NativeUsd } from '../model/finishedBlock.ts'
import type { ChainRuntime } from './chainRuntime.ts'
import { createNativePrices } from './nativePrices.ts'

function runtimeOf(usd: number | null) {
  const told: NativeUsd[] = []
  const engine = { nativeUsd: () => usd, nativeAtS: () => 7 } as ChainRuntime['engine']
  return { told, engine, setNativeUsd: (price: NativeUsd) => void told.push(price) }
}

test('behavior: those that take a price are told it, others and unknown prices are left out', () => {
  const chains = {
    eth: {},
    rollup: { native_usd_from: 'eth' },
    other: { native_usd_from: 'eth' },
    bsc: {},
    side: { native_usd_from: 'bsc' },
  } as unknown as Config['chains']
  const runtimes = new Map([
    ['eth', runtimeOf(2_500)],
    ['rollup', runtimeOf(null)],
    ['other', runtimeOf(null)],
    ['bsc', runtimeOf(null)],
    ['side', runtimeOf(null)],
  ])
  const prices = createNativePrices({ chains }, runtimes)
  for (const name of runtimes.keys()) prices.applied(name)
  // One that is not open yet is told later.
  runtimes.delete('other')
  prices.applied('eth')
  expect(runtimes.get('rollup')!.told).toEqual([
    { usd: 2_500, atS: 7 },
    { usd: 2_500, atS: 7 },
  ])
  for (const name of ['eth', 'bsc', 'side']) expect(runtimes.get(name)!.told).toEqual([])
})
