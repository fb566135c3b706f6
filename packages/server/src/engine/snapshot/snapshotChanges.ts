import { SnapshotUnreadableError } from '../errors.ts'
import type { DecodedSnapshot } from './snapshotEncoding.ts'

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
