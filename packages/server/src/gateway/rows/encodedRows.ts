import type { GatewayChain } from '../gatewayChain.ts'
import { createRowCache, type RowCacheOptions } from './rowCache.ts'

/** `make` gives the JSON text of one token or pair. */
export type EncodedRowsOptions = RowCacheOptions<string>

/** JSON text of tokens or pairs, encoded once per change of the market. */
export type EncodedRows = { json(chain: GatewayChain, id: number): string }

export function createEncodedRows({ make, ...options }: EncodedRowsOptions): EncodedRows {
  const cache = createRowCache<string>({
    ...options,
    make(chain, id, nowS) {
      const { value, validUntilS } = make(chain, id, nowS)
      // A text of many parts is put together again each time it is written, unless it went through bytes.
      return { value: Buffer.from(value).toString(), validUntilS }
    },
  })
  return { json: cache.of }
}
