import type { ByteRuns } from '../tables/bytes.ts'

/** Stored description of a kind of records: a reader skips fields that it does not know. */
type ListHead = {
  /** Places of records; a place may have none. */
  count: number
  /** Fields in the order of their values, by name and type. */
  fields: ReadonlyMap<string, string>
  /** Texts that records name by their place. */
  words: readonly string[]
}

/** Each record is behind its length, which is 0 where the place has none. */
export type RecordList = ListHead & { runs: ByteRuns }

/** Rows of doubles, lowest byte first, in one or more runs. */
export type FormRows = { columns: readonly string[]; runs: ByteRuns }

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

/** Bytes that are made when they are asked for, and how many there are. */
export type WrittenRuns = Iterable<Uint8Array> & { readonly length: number }

export type WrittenList = ListHead & { runs: WrittenRuns }
type Written<rows extends FormRows> = Omit<rows, 'runs'> & { runs: Iterable<Uint8Array> }
export type WrittenRows = Written<FormRows>
export type WrittenTable = Written<FormTable>
export type WrittenLog = Written<FormLog>

/** A snapshot before it is written: all of it at once would be as large as the market. */
export type WrittenForm = {
  format: number
  texts: ReadonlyMap<string, string>
  numbers: ReadonlyMap<string, number>
  units: ReadonlyMap<string, number>
  lists: ReadonlyMap<string, WrittenList>
  tables: ReadonlyMap<string, WrittenTable>
  logs: ReadonlyMap<string, WrittenLog>
}
