import type { Engine } from '../engine/engine.ts'
import type { PairRecord } from '../model/pair.ts'

/** Pools that never had reserves: nobody told what they hold, or they were made and hold nothing yet. */
export function unknownPoolsOf(engine: Pick<Engine, 'pairCount' | 'pairState'>): PairRecord[] {
  const pools: PairRecord[] = []
  for (let id = 0; id < engine.pairCount(); id += 1) {
    const { record, initReserve0, initReserve1 } = engine.pairState(id)
    if (record.kind === 'concentrated' && initReserve0 === 0n && initReserve1 === 0n)
      pools.push(record)
  }
  return pools
}
