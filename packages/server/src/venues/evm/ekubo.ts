import type { LogDecoder } from './decoding/blockScope.ts'
import { swapEvent } from './decoding/swapEvent.ts'
import type { EvmVenue } from './venue.ts'

/** Bytes of a swap: who trades, the pool's id, two amounts of 16 bytes, and the pool's state in 32. */
const digitsOfSwap = 2 * (20 + 32 + 32 + 32)
/** The state: liquidity of 16 bytes, a price of 12 and a tick of 4, which the two versions order in their own ways. */
const priceDigits = 24
const stateAt = 2 + 2 * (20 + 32 + 32)

const int128Sign = 1n << 127n
const int128Span = 1n << 128n
/** Two bits of a price say how far the others are shifted. */
const shiftBits = 94n
const valueMask = (1n << shiftBits) - 1n

/** `priceAt`: where in the state the price stands, in bytes. */
function swapDecoder(priceAt: number): LogDecoder {
  return (log, scope) => {
    const { data } = log
    // Positions, pools and fees are told without a topic, too, in other lengths.
    if (data.length !== 2 + digitsOfSwap) return true
    const sender = `0x${data.slice(2, 42)}`
    if (!scope.addresses.isAddress(sender)) return false
    const amounts = { amount0: readInt128(data, 106), amount1: readInt128(data, 138) }
    const start = stateAt + 2 * priceAt
    const priceRaw = priceOf(BigInt(`0x${data.slice(start, start + priceDigits)}`))
    const mention = { pool: `0x${data.slice(42, 106)}`, manager: log.address }
    scope.push(swapEvent(log, scope, { sender, to: sender, ...amounts, ...mention, priceRaw }))
    return true
  }
}

function readInt128(data: string, at: number): bigint {
  const unsigned = BigInt(`0x${data.slice(at, at + 32)}`)
  return unsigned < int128Sign ? unsigned : unsigned - int128Span
}

/** The root of the price has 128 bits behind its point. */
function priceOf(compact: bigint): number | null {
  const root = (compact & valueMask) << (2n + 32n * (compact >> shiftBits))
  return root === 0n ? null : (Number(root) / 2 ** 128) ** 2
}

/**
 * Ekubo: one contract keeps all pools and tells their swaps in logs without a topic. No filter of a node finds those, so that
 * they are decoded of whole receipts only, and no pair is made of its pools.
 */
export const ekubo: EvmVenue = {
  name: 'ekubo',
  kind: 'vault',
  isManaged: true,
  events: {},
  plainLogs: {
    '0xe0e0e08a6a4b9dc7bd67bcb7aade5cf48157d444': swapDecoder(16),
    '0x00000000000014aa86c5d3c41765bb24e11bd701': swapDecoder(0),
  },
}
