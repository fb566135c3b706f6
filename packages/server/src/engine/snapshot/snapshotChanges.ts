import { klineIntervalsS } from '../../model/klines/kline.ts'
import { SnapshotUnreadableError } from '../errors.ts'
import { launchStates } from '../launches.ts'
import { movementUnit } from '../prices/mainPairReviews.ts'
import { reserveLimbBase } from '../prices/reserves.ts'
import { limbBase } from '../tables/exactSums.ts'
import { pairFlag } from '../tables/pairTable.ts'
import { walletHash } from '../tables/walletHash.ts'
import { newestUnit, sellBit } from '../windows/distinctWallets.ts'
import { fineBucketS, minuteBucketS } from '../windows/windows.ts'
import type { DecodedSnapshot } from './snapshotEncoding.ts'

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

/**
 * A change between two snapshot formats. Added, removed or moved columns, fields and tables need no
 * `convert`, because names and defaults handle them. `convert` is for a name whose meaning changed:
 * it gets all data by name as the previous format wrote it and rewrites it for this one.
 */
type SnapshotChange = {
  format: number
  name: string
  convert?: (form: DecodedSnapshot) => void
}

/** All format changes in order, one per format after the first. Entries are never removed. */
export const snapshotChanges: readonly SnapshotChange[] = []

/** Format that this version writes. A snapshot with a higher format comes from a newer version. */
export const snapshotFormat = 1 + snapshotChanges.length

/** Converts a snapshot of an older version to the current format, one change after another. */
export function convertSnapshot(
  form: DecodedSnapshot,
  changes: readonly SnapshotChange[] = snapshotChanges,
): void {
  for (const { format, convert } of changes) {
    if (format <= form.format) continue
    if (format !== form.format + 1)
      throw new SnapshotUnreadableError(`No change converts snapshot format ${form.format}.`)
    convert?.(form)
    form.format = format
  }
}
