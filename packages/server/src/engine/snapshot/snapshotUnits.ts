import { klineIntervalsS } from '../../model/klines/kline.ts'
import { launchStates } from '../launches.ts'
import { movementUnit } from '../prices/mainPairReviews.ts'
import { reserveLimbBase } from '../prices/reserves.ts'
import { limbBase } from '../tables/exactSums.ts'
import { pairFlag } from '../tables/pairTable.ts'
import { walletHash } from '../tables/walletHash.ts'
import { newestUnit, sellBit } from '../windows/distinctWallets.ts'
import { fineBucketS, minuteBucketS } from '../windows/windows.ts'

/**
 * Units and codes of numbers in rows, which a snapshot records: with other units the same number
 * would mean something else. A change of a unit needs a conversion in `snapshotChanges`.
 */
export function snapshotUnits(): Map<string, number> {
  const units = new Map<string, number>([
    ['fineBuckets.lengthS', fineBucketS],
    ['minuteBuckets.lengthS', minuteBucketS],
    ['sums.limbBase', limbBase],
    ['reserves.limbBase', reserveLimbBase],
    ['makers.newestUnit', newestUnit],
    ['makers.sellBit', sellBit],
    // Hash of a sample wallet: it differs if the hash function changes.
    ['makers.walletHash', walletHash('wallet')],
    ['rateWatch.movementUnit', movementUnit],
  ])
  for (const [level, intervalS] of klineIntervalsS.entries())
    units.set(`klines.level.${level}`, intervalS)
  for (const [state, name] of launchStates.entries()) units.set(`launches.state.${name}`, state)
  for (const [name, bit] of Object.entries(pairFlag)) units.set(`pairs.flags.${name}`, bit)
  return units
}
