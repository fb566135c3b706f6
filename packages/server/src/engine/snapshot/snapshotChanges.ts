import { SnapshotUnreadableError } from '../errors.ts'
import type { SnapshotForm } from './formTypes.ts'

/**
 * What makes a format another than the one before. Columns, fields and tables that are new, gone, or in another place need
 * no `convert`: names and defaults do that. It is for what a name means: it gets everything by its name, as the format
 * before wrote it, and leaves it as this one writes it.
 */
type SnapshotChange = {
  format: number
  name: string
  convert?: (form: SnapshotForm) => void
}

/** In order, one for each format after the first; never removed. */
export const snapshotChanges: readonly SnapshotChange[] = []

/** What is written; a snapshot with a higher one is of a newer version. */
export const snapshotFormat = 1 + snapshotChanges.length

/** Brings what an earlier version wrote to what this one writes, step by step. */
export function convertForm(
  form: SnapshotForm,
  changes: readonly SnapshotChange[] = snapshotChanges,
): void {
  for (const { format, convert } of changes) {
    if (format <= form.format) continue
    if (format !== form.format + 1)
      throw new SnapshotUnreadableError(`It has format ${form.format}, and nothing converts that.`)
    convert?.(form)
    form.format = format
  }
}
