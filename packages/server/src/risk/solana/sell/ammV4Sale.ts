import { encodeBase58 } from '../../../lib/bytes/base58.ts'
import type { SellVenue } from './saleTransaction.ts'
import { readOnly, signer, writable } from './saleTransaction.ts'

const program = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8'
const authority = '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1'
const swapBaseIn = 16
const stateBytes = 752
// Offsets in the pool's account; the values of both tokens follow each other.
const [vaultsAt, mintsAt] = [336, 400]
const keyBytes = 32
const dataBytes = 17

/**
 * Raydium's AMM v4, by the swap that needs no order book. Its pools only hold tokens of the first
 * token program.
 */
export const ammV4Sale: SellVenue = {
  shared: [],
  routeOf({ pool, token, accounts: [account], quoteProgram }) {
    const data = account?.data
    if (account?.owner !== program || data?.length !== stateBytes) return null
    const key = (at: number, side = 0) => {
      const from = at + side * keyBytes
      return encodeBase58(data.subarray(from, from + keyBytes))
    }
    const side = key(mintsAt, 0) === token.mint ? 0 : 1
    if (key(mintsAt, side) !== token.mint) return null
    return {
      quote: { mint: key(mintsAt, 1 - side), tokenProgram: quoteProgram },
      sell: ({ seller, source, target, amount }) => ({
        program,
        accounts: [
          ...[readOnly(token.tokenProgram), writable(pool), readOnly(authority)],
          ...[key(vaultsAt, 0), key(vaultsAt, 1), source, target].map(writable),
          signer(seller),
        ],
        data: saleData(amount),
      }),
    }
  },
}

/** Encodes the swap instruction: sells `amount` and accepts any price. */
function saleData(amount: bigint): Buffer {
  const data = Buffer.alloc(dataBytes)
  data[0] = swapBaseIn
  data.writeBigUInt64LE(amount, 1)
  return data
}
