import type { GatewayChain } from '../gatewayChain.ts'
import { createRowCache, type RowCacheOptions } from './rowCache.ts'

export type EncodedRowsOptions = Omit<RowCacheOptions<string>, 'make'> & {
  /** JSON text of one token or pair. */
  encode(chain: GatewayChain, id: number, nowS: number): string
}

/** JSON text of tokens or pairs, encoded once per change of the market. */
export type EncodedRows = { json(chain: GatewayChain, id: number): string }

export function createEncodedRows({ encode, ...options }: EncodedRowsOptions): EncodedRows {
  const cache = createRowCache({ ...options, make: encode })
  return { json: cache.of }
}
