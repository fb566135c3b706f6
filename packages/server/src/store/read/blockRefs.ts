import { type BlockRef, parentNumberOfOld } from '../../model/block.ts'

/** Columns of the log that say which block an entry is about. */
export const refColumns = 'number, hash, parent_number, parent_hash, time_s'

export type RefRow = {
  number: number
  hash: string
  /** Null: the entry is older than the column. */
  parent_number: number | null
  parent_hash: string
  time_s: number
}

export function refOf({ number, hash, parent_number, parent_hash, time_s }: RefRow): BlockRef {
  return {
    number,
    hash,
    parentNumber: parent_number ?? parentNumberOfOld(number),
    parentHash: parent_hash,
    timeS: time_s,
  }
}
