import { klineIntervalsS } from '../../model/klines/kline.ts'
import { launchStates } from '../launches.ts'
import { movementUnit } from '../prices/mainPairReviews.ts'
import { reserveLimbBase } from '../prices/reserves.ts'
import { limbBase } from '../tables/exactSums.ts'
import { pairFlag } from '../tables/pairTable.ts'
import { newestUnit, sellBit } from '../windows/makers.ts'
import { walletHash } from '../windows/walletHash.ts'
import { fineS, minuteS } from '../windows/windows.ts'

/**
 * What numbers in rows are counted in: with another one of these the same number means something else. A snapshot says
 * them; whoever changes one converts the rows of earlier ones in `snapshotChanges`.
 */
export function snapshotUnits(): Map<string, number> {
  const units = new Map<string, number>([
    ['fineBuckets.lengthS', fineS],
    ['minuteBuckets.lengthS', minuteS],
    ['sums.limbBase', limbBase],
    ['reserves.limbBase', reserveLimbBase],
    ['makers.newestUnit', newestUnit],
    ['makers.sellBit', sellBit],
    // Of any wallet: it is another one when wallets are hashed in another way.
    ['makers.walletHash', walletHash('wallet')],
    ['rateWatch.movementUnit', movementUnit],
  ])
  for (const [level, intervalS] of klineIntervalsS.entries())
    units.set(`klines.level.${level}`, intervalS)
  for (const [state, name] of launchStates.entries()) units.set(`launches.state.${name}`, state)
  for (const [name, bit] of Object.entries(pairFlag)) units.set(`pairs.flags.${name}`, bit)
  return units
}
