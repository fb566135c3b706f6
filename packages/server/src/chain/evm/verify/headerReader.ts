import { type EvmHeader, parseHeader, type RawBlock } from '../fetch/rawBlock.ts'
import type { HashForm } from './hashForm.ts'
import { headerHashOf, unknownFieldsOf } from './headerHash.ts'

/**
 * `header` null: it is not a block. `fault`: it is a block, and what it says of itself cannot be true. `misfit`: the fault is
 * that its known fields make up another hash.
 */
export type ReadHeader = { header: EvmHeader | null; fault: string | null; misfit: Misfit | null }

/** A header whose known fields do not make up its hash. */
export type Misfit = {
  /** Equal where the hash and all known fields are equal. */
  text: string
  /** Fields that this version does not know; they may be hashed too. */
  unknownFields: readonly string[]
}

export type HeaderReader = {
  read(raw: unknown): ReadHeader
  /** From now on a header with these fields and this hash has no fault. */
  excuse(misfit: Misfit): void
}

// A header is read two or three times within seconds: as the head, by its number, with its logs.
const excusedMax = 4_096

/** Reads blocks as nodes give them and recomputes their hashes. `form` null: hashes are believed. */
export function createHeaderReader(form: HashForm | null): HeaderReader {
  const excused = new Set<string>()
  return {
    read(raw) {
      const header = parseHeader(raw)
      if (header === null) return { header, fault: null, misfit: null }
      if (form === null) return { header: ofOwnLogs(header, raw), fault: null, misfit: null }
      const computed = headerHashOf(raw as object)
      const unknownFields = unknownFieldsOf(raw as object)
      const verdict = form.judge(computed, header.hash, unknownFields.length > 0)
      if (verdict === 'proven')
        return { header: { ...header, isProven: true }, fault: null, misfit: null }
      const text = `${header.hash} ${computed}`
      if (verdict === 'unknown' || excused.has(text))
        return { header: ofOwnLogs(header, raw), fault: null, misfit: null }
      const fault = `Fields of block ${header.number} do not make up its hash`
      return { header, fault, misfit: { text, unknownFields } }
    },
    excuse({ text }) {
      excused.add(text)
      const [oldest] = excused
      if (excused.size > excusedMax) excused.delete(oldest!)
    },
  }
}

/** Without the filter and the receipts root where they describe other blocks. A proven header has no such field. */
export function ofOwnLogs(header: EvmHeader, raw: unknown): EvmHeader {
  const { settledHeight = null } = raw as Partial<RawBlock>
  return settledHeight === null ? header : { ...header, bloom: null, receiptsRoot: null }
}
