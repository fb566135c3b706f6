import type { ByteRuns } from '../tables/bytes.ts'

/** All values of one field of records, one after another. */
export type FieldBytes = { type: string; runs: ByteRuns }

/** Records of one kind, field by field: a reader leaves out a field that it does not know. */
export type RecordList = { count: number; fields: ReadonlyMap<string, FieldBytes> }

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

/** Things by name that are written one after the other, each made when its turn has come. */
export type Entries<value> = Iterable<readonly [string, value]> & { readonly size: number }

export type WrittenList = { count: number; fields: Entries<FieldBytes> }
type Written<rows extends FormRows> = Omit<rows, 'runs'> & { runs: Iterable<Uint8Array> }
export type WrittenRows = Written<FormRows>
export type WrittenTable = Written<FormTable>
export type WrittenLog = Written<FormLog>

/** A snapshot before it is written: all of it at once would be as large as the market. */
export type WrittenForm = {
  format: number
  texts: Entries<string>
  numbers: Entries<number>
  units: Entries<number>
  lists: Entries<WrittenList>
  tables: Entries<WrittenTable>
  logs: Entries<WrittenLog>
}
