import type { RecordList } from './recordFields.ts'

/** Rows of doubles, lowest byte first, in one or more runs. */
export type FormRows = { columns: readonly string[]; runs: readonly Uint8Array[] }

/** Row 0 is the header, whose columns have names of their own. */
export type FormTable = FormRows & { header: readonly string[]; count: number }

/** Only the rows from `head` up to `tail`. */
export type FormLog = FormRows & { head: number; tail: number }

/**
 * A snapshot with everything by its name: what its bytes say, before it is known what this version makes of it. Rows are
 * views of the bytes.
 */
export type SnapshotForm = {
  format: number
  texts: Map<string, string>
  numbers: Map<string, number>
  /** What numbers in rows are counted in. */
  units: Map<string, number>
  lists: Map<string, RecordList>
  tables: Map<string, FormTable>
  logs: Map<string, FormLog>
}
