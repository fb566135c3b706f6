// Pushes of every topic for several markets, each frame in full.
import { entryWithRealHashes } from '../support/feedMarket.ts'
import { readRecordedLog, recordFrames } from '../support/recordedFrames.ts'
import { playUpgradeMarket } from '../support/upgradeMarket.ts'
import type { Emit } from './dump.ts'

export async function dumpFrames(emit: Emit): Promise<void> {
  const markets = {
    recorded: readRecordedLog(),
    'market 12': playUpgradeMarket(12).entries.map(entryWithRealHashes),
  }
  for (const [market, entries] of Object.entries(markets))
    for (const { name, frames } of await recordFrames(entries)) emit(`${market} ${name}`, frames)
}
