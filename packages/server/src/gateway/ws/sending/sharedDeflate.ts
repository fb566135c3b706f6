import { constants, deflateRawSync } from 'node:zlib'

// RFC 7692, 7.2.1: the empty stored block at the end of a sync flush is not sent.
const syncTrailerBytes = 4
// Smaller tails hardly shrink, so compressing them would waste CPU.
const tailBytesMin = 256
// zlib's memory level for pushes. A 1 KB push gets as small as with the default of 8, in 32 instead
// of 53 us: zlib has less memory to clear.
const memLevel = 5

/**
 * Compresses the part of a push that all subscribers share. Returns null if compression saves
 * nothing: any message may be sent uncompressed.
 */
export function deflateTail(tail: Buffer): Buffer | null {
  if (tail.length < tailBytesMin) return null
  const deflated = deflateRawSync(tail, { finishFlush: constants.Z_SYNC_FLUSH, memLevel })
  const bytes = deflated.length - syncTrailerBytes
  return bytes < tail.length ? deflated.subarray(0, bytes) : null
}

/**
 * Returns whether a client with these negotiated extensions can inflate the output of
 * `deflateTail`. That needs the full window: a client that negotiated a smaller window gets
 * uncompressed messages.
 */
export function isDeflateAgreed(extensionsHeader: string | undefined): boolean {
  if (extensionsHeader === undefined || !extensionsHeader.includes('permessage-deflate'))
    return false
  const bits = /server_max_window_bits\s*=\s*"?(\d+)/.exec(extensionsHeader)?.[1]
  return bits === undefined || bits === '15'
}
