import type { Clock } from '../../gatewayChain.ts'
import { ByteRing, segmentsMin } from './byteRing.ts'

/** Memory for rows as bytes. */
export type RowMemory = {
  /** What every block voids. */
  moving: ByteRing
  /** What outlives blocks: among the other it would soon be overwritten. */
  lasting: ByteRing
}

// Small against what they share, so that memory goes where it is used, and large against a row.
const segmentBytesMax = 1_048_576
const segmentsWanted = 64

// Longer than most blocks take, and than a token that is asked for rests.
const movingKeepMs = 10_000
// The windows of a token that does not trade last for minutes.
const lastingKeepMs = 600_000

type RowMemoryOptions = { clock: Clock; bytesMax: number }

export function createRowMemory({ clock, bytesMax }: RowMemoryOptions): RowMemory {
  const segmentBytes = Math.min(segmentBytesMax, Math.floor(bytesMax / segmentsWanted))
  const segments = Math.floor(bytesMax / segmentBytes)
  // All at once: each later piece would make the collector of garbage look through the whole heap. What is never written
  // is never taken from the system.
  const memory = Buffer.allocUnsafeSlow(segments * segmentBytes)
  let taken = 0
  let left = segments - 2 * segmentsMin
  const createRing = (keepMs: number) => {
    let own = segmentsMin
    return new ByteRing({
      segmentBytes,
      keepMs,
      nowMs: clock.nowMs,
      takeSegment() {
        if (own > 0) own -= 1
        else if (left > 0) left -= 1
        else return null
        taken += 1
        return memory.subarray((taken - 1) * segmentBytes, taken * segmentBytes)
      },
    })
  }
  return { moving: createRing(movingKeepMs), lasting: createRing(lastingKeepMs) }
}
