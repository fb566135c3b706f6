import { encodeBase58 } from '../../../lib/bytes/base58.ts'
import { readOnly, type SellVenue, sellData, signer, writable } from './saleTransaction.ts'

const program = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'
const authority = 'GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL'
const swapBaseInput = 0x8fbe5adac41e33den
const stateTag = 0xf7ede3f5d7c3de46n
const stateBytes = 637
// Offsets in the pool's account; the values of both tokens follow each other.
const [configAt, vaultsAt, mintsAt, programsAt, observationAt] = [8, 72, 168, 232, 296]
const keyBytes = 32

/** Raydium's CPMM: the pool's account holds every account that a sale needs. */
export const cpmmSale: SellVenue = {
  shared: [],
  routeOf({ pool, token, accounts: [account] }) {
    const data = account?.data
    if (account?.owner !== program || data === undefined || data.length < stateBytes) return null
    if (data.readBigUInt64BE(0) !== stateTag) return null
    const key = (at: number, side = 0) => {
      const from = at + side * keyBytes
      return encodeBase58(data.subarray(from, from + keyBytes))
    }
    const side = key(mintsAt, 0) === token.mint ? 0 : 1
    if (key(mintsAt, side) !== token.mint) return null
    const other = 1 - side
    return {
      quote: { mint: key(mintsAt, other), tokenProgram: key(programsAt, other) },
      sell: ({ seller, source, target, amount }) => ({
        program,
        accounts: [
          ...[signer(seller), readOnly(authority), readOnly(key(configAt)), writable(pool)],
          ...[source, target, key(vaultsAt, side), key(vaultsAt, other)].map(writable),
          ...[key(programsAt, side), key(programsAt, other)].map(readOnly),
          ...[key(mintsAt, side), key(mintsAt, other)].map(readOnly),
          writable(key(observationAt)),
        ],
        data: sellData(swapBaseInput, amount),
      }),
    }
  },
}
