import type { ByteRuns } from '../tables/bytes.ts'

/** Describes a list of records in a snapshot; a reader skips fields that it does not know. */
type ListHead = {
  /** Number of ids, including ids without a record. */
  count: number
  /** Type of each field by name, in the order in which a record stores them. */
  fields: ReadonlyMap<string, string>
  /** Texts that records refer to by position. */
  words: readonly string[]
}

/** A list of records; each follows its length, which is 0 for an id without a record. */
export type RecordList = ListHead & { runs: ByteRuns }

/** Rows of little-endian doubles in one or more runs. */
export type FormRows = { columns: readonly string[]; runs: ByteRuns }

/** Rows of a table. Row 0 is the header, whose columns have their own names. */
export type FormTable = FormRows & { header: readonly string[]; count: number }

/** Rows of a log, only those from `head` to `tail`. */
export type FormLog = FormRows & { head: number; tail: number }

/**
 * A decoded snapshot with all data by name, before it is converted to the current format. Rows are
 * views of the snapshot's bytes.
 */
export type SnapshotForm = {
  format: number
  texts: Map<string, string>
  numbers: Map<string, number>
  /** Units and codes of numbers in rows, by name. */
  units: Map<string, number>
  lists: Map<string, RecordList>
  tables: Map<string, FormTable>
  logs: Map<string, FormLog>
}

/** Bytes that are created on demand, with their total length. */
export type WrittenRuns = Iterable<Uint8Array> & { readonly length: number }

export type WrittenList = ListHead & { runs: WrittenRuns }
type Written<rows extends FormRows> = Omit<rows, 'runs'> & { runs: Iterable<Uint8Array> }
export type WrittenRows = Written<FormRows>
export type WrittenTable = Written<FormTable>
export type WrittenLog = Written<FormLog>

/**
 * A snapshot to be written. Its bytes are created on demand: all at once would be as large as the
 * market.
 */
export type WrittenForm = {
  format: number
  texts: ReadonlyMap<string, string>
  numbers: ReadonlyMap<string, number>
  units: ReadonlyMap<string, number>
  lists: ReadonlyMap<string, WrittenList>
  tables: ReadonlyMap<string, WrittenTable>
  logs: ReadonlyMap<string, WrittenLog>
}
