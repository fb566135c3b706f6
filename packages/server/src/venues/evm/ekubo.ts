import type { LogDecoder } from './decoding/blockScope.ts'
import { swapEvent } from './decoding/poolEvents.ts'
import type { EvmVenue } from './venue.ts'

/** A swap in bytes: trader (20), pool id (32), two amounts of 16, and the pool's state (32). */
const digitsOfSwap = 2 * (20 + 32 + 32 + 32)
/** The state: liquidity (16), price (12) and tick (4). The two versions order them differently. */
const priceDigits = 24
const stateAt = 2 + 2 * (20 + 32 + 32)

const int128Sign = 1n << 127n
const int128Span = 1n << 128n
/** Two bits of a price are the exponent of its shift. */
const shiftBits = 94n
const valueMask = (1n << shiftBits) - 1n

/** `priceAt` is the byte offset of the price in the state. */
function swapDecoder(priceAt: number): LogDecoder {
  return (log, scope) => {
    const { data } = log
    // Logs of positions, pools and fees have no topic either, but other lengths.
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

/** The root of the price is a fixed-point number with 128 fractional bits. */
function priceOf(compact: bigint): number | null {
  const root = (compact & valueMask) << (2n + 32n * (compact >> shiftBits))
  return root === 0n ? null : (Number(root) / 2 ** 128) ** 2
}

/**
 * Ekubo: one contract keeps all pools and emits swaps without a topic. No log filter finds those,
 * so they are only decoded from whole receipts, and its pools get no pairs.
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
