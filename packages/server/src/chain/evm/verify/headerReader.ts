import { type EvmHeader, parseHeader, type RawBlock } from '../fetch/rawBlock.ts'
import type { HashForm } from './hashForm.ts'
import { hasUnknownFields, headerHashOf } from './headerHash.ts'

/** `header` null: it is no block. `fault`: it is one, and what it says of itself cannot be true. */
type ReadHeader = { header: EvmHeader | null; fault: string | null }

export type HeaderReader = {
  read(raw: unknown): ReadHeader
}

/** Reads blocks as nodes give them and recomputes their hashes. `form` null: hashes are believed. */
export function createHeaderReader(form: HashForm | null): HeaderReader {
  return {
    read(raw) {
      const header = parseHeader(raw)
      if (header === null) return { header, fault: null }
      if (form === null) return { header: ofOwnLogs(header, raw), fault: null }
      const computed = headerHashOf(raw as object)
      const verdict = form.judge(computed, header.hash, hasUnknownFields(raw as object))
      if (verdict === 'false')
        return { header, fault: `Fields of block ${header.number} do not make up its hash` }
      if (verdict === 'proven') return { header: { ...header, isProven: true }, fault: null }
      return { header: ofOwnLogs(header, raw), fault: null }
    },
  }
}

/** Without the filter and the receipts root where they describe other blocks. A proven header has no such field. */
export function ofOwnLogs(header: EvmHeader, raw: unknown): EvmHeader {
  const { settledHeight = null } = raw as Partial<RawBlock>
  return settledHeight === null ? header : { ...header, bloom: null, receiptsRoot: null }
}
