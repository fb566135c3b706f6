import { constants, deflateRawSync } from 'node:zlib'
import type { RpcId } from '../../feed/push.ts'

// First byte of a text frame (RFC 6455, 5.2): FIN with opcode 1. RSV1 marks a compressed message
// (RFC 7692, 6).
const textBits = 0x81
const deflatedTextBits = 0xc1

const lengthMax7 = 125
const lengthMax16 = 65_535

function headerBytes(payloadBytes: number): number {
  if (payloadBytes <= lengthMax7) return 2
  return payloadBytes <= lengthMax16 ? 4 : 10
}

/**
 * A WebSocket frame that can be written into a buffer with other frames. Every Buffer is a Frame.
 */
export type Frame = {
  readonly length: number
  copy(target: Buffer, at: number): unknown
}

/**
 * Writes the header of an unfragmented, unmasked message, as servers send it. Returns the offset of
 * the payload.
 */
function writeHeader(target: Buffer, at: number, bits: number, payloadBytes: number): number {
  target[at] = bits
  if (payloadBytes <= lengthMax7) {
    target[at + 1] = payloadBytes
    return at + 2
  }
  if (payloadBytes <= lengthMax16) {
    target[at + 1] = 126
    target[at + 2] = payloadBytes >>> 8
    target[at + 3] = payloadBytes & 0xff
    return at + 4
  }
  target[at + 1] = 127
  target.writeBigUInt64BE(BigInt(payloadBytes), at + 2)
  return at + 10
}

export function textFrame(text: string): Buffer {
  const payloadBytes = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(headerBytes(payloadBytes) + payloadBytes)
  frame.write(text, writeHeader(frame, 0, textBits, payloadBytes), 'utf8')
  return frame
}

/**
 * Start of a push, the only part that differs between subscribers. It is ASCII, so it has as many
 * bytes as characters.
 */
function pushHead(id: RpcId): string {
  return typeof id === 'number' ? `{"id":${id}` : `{"id":${asciiText(id)}`
}

function asciiText(text: string): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(text).replace(/[\u0080-\uffff]/g, escaped)
}

/** Returns the size of an uncompressed push frame on the wire. */
export function pushFrameBytes(id: RpcId, tail: Buffer): number {
  const payloadBytes = pushHead(id).length + tail.length
  return headerBytes(payloadBytes) + payloadBytes
}

// Header of a stored deflate block (RFC 1951, 3.2.4): a byte for "stored, not the last block", then
// the length and its inverse.
const storedHeaderBytes = 5

/**
 * A push frame for one request id. All ids share the push's tail, so nothing is copied until the
 * frame is written. A tail that was compressed for all ids refers to nothing before itself: the
 * head precedes it in a stored deflate block. Both blocks end on a byte boundary, so they are
 * simply joined.
 */
export class PushFrame implements Frame {
  readonly length: number
  readonly #head: string
  readonly #tail: Buffer
  readonly #isDeflated: boolean

  constructor(id: RpcId, tail: Buffer, isDeflated: boolean) {
    this.#head = pushHead(id)
    this.#tail = tail
    this.#isDeflated = isDeflated
    const payloadBytes = this.#payloadBytes
    this.length = headerBytes(payloadBytes) + payloadBytes
  }

  copy(target: Buffer, at: number): void {
    const head = this.#head
    const tail = this.#tail
    const isDeflated = this.#isDeflated
    let next = writeHeader(target, at, isDeflated ? deflatedTextBits : textBits, this.#payloadBytes)
    if (isDeflated) {
      target[next] = 0
      target.writeUInt16LE(head.length, next + 1)
      target.writeUInt16LE(~head.length & 0xffff, next + 3)
      next += storedHeaderBytes
    }
    // Copying these few characters one by one is cheaper than a call into the text encoder.
    for (let index = 0; index < head.length; index += 1) target[next++] = head.charCodeAt(index)
    target.set(tail, next)
  }

  get #payloadBytes(): number {
    return (this.#isDeflated ? storedHeaderBytes : 0) + this.#head.length + this.#tail.length
  }
}

/** Joins frames in order into one buffer. */
export function joinFrames(frames: readonly Frame[], bytes: number): Buffer {
  const joined = Buffer.allocUnsafe(bytes)
  let at = 0
  for (const frame of frames) {
    frame.copy(joined, at)
    at += frame.length
  }
  return joined
}

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
export function canInflateSharedTail(extensionsHeader: string | undefined): boolean {
  if (extensionsHeader === undefined || !extensionsHeader.includes('permessage-deflate'))
    return false
  const bits = /server_max_window_bits\s*=\s*"?(\d+)/.exec(extensionsHeader)?.[1]
  return bits === undefined || bits === '15'
}
