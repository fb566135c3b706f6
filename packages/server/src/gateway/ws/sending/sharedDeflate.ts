import { constants, deflateRawSync } from 'node:zlib'

// RFC 7692, 7.2.1: the empty stored block of a sync flush is not sent.
const syncTrailerBytes = 4
// Below this a compressed frame is hardly smaller, and the time is better spent otherwise.
const tailBytesMin = 256
// A push of 1 KB comes out as small as with zlib's default of 8, in 32 instead of 53 us: there is less memory to clear.
const memLevel = 5

/**
 * Compresses what all subscribers of a push share. Null where it is not worth it: any message may be sent
 * uncompressed.
 */
export function deflateTail(tail: Buffer): Buffer | null {
  if (tail.length < tailBytesMin) return null
  const deflated = deflateRawSync(tail, { finishFlush: constants.Z_SYNC_FLUSH, memLevel })
  const bytes = deflated.length - syncTrailerBytes
  return bytes < tail.length ? deflated.subarray(0, bytes) : null
}

/**
 * Can a peer that agreed on these extensions read what `deflateTail` makes? It needs the full window; one that asked for
 * a smaller one gets uncompressed messages.
 */
export function isDeflateAgreed(extensionsHeader: string | undefined): boolean {
  if (extensionsHeader === undefined || !extensionsHeader.includes('permessage-deflate'))
    return false
  const bits = /server_max_window_bits\s*=\s*"?(\d+)/.exec(extensionsHeader)?.[1]
  return bits === undefined || bits === '15'
}
