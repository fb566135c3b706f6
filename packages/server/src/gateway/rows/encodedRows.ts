import type { GatewayChain } from '../gatewayChain.ts'
import { createRowCache, type RowCacheOptions } from './rowCache.ts'

export type EncodedRowsOptions = Omit<RowCacheOptions<string>, 'make'> & {
  /** JSON text of one token or pair. */
  encode(chain: GatewayChain, id: number, nowS: number): string
}

/** JSON text of tokens or pairs, encoded once per change of the market. */
export type EncodedRows = { json(chain: GatewayChain, id: number): string }

export function createEncodedRows({ encode, ...options }: EncodedRowsOptions): EncodedRows {
  // A text put together of hundreds of parts is put together again each time it is written, unless it went through bytes.
  const make: typeof encode = (...subject) => Buffer.from(encode(...subject)).toString()
  const cache = createRowCache({ ...options, make })
  return { json: cache.of }
}
