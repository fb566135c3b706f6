import type { RpcId } from '../../feed/push.ts'

// RFC 6455, 5.2: FIN with opcode 1; RSV1 marks a compressed message (RFC 7692, 6).
const textBits = 0x81
const deflatedTextBits = 0xc1

const lengthMax7 = 125
const lengthMax16 = 65_535

function headerBytes(payloadBytes: number): number {
  if (payloadBytes <= lengthMax7) return 2
  return payloadBytes <= lengthMax16 ? 4 : 10
}

/** A frame to be written into a buffer that may hold others; a Buffer is one. */
export type Frame = {
  readonly length: number
  copy(target: Buffer, at: number): unknown
}

/** The header of one whole message, unmasked as a server sends it. Gives where the payload begins. */
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

/** The part of a push that differs between subscribers, in ASCII: as many bytes as characters. */
function pushHead(id: RpcId): string {
  return typeof id === 'number' ? `{"id":${id}` : `{"id":${asciiText(id)}`
}

function asciiText(text: string): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(text).replace(/[\u0080-\uffff]/g, escaped)
}

/** Bytes of a push on the wire. */
export function pushFrameBytes(id: RpcId, tail: Buffer): number {
  const payloadBytes = pushHead(id).length + tail.length
  return headerBytes(payloadBytes) + payloadBytes
}

// RFC 1951, 3.2.4: one byte of block header (not the last, stored), then the length twice, once inverted.
const storedHeaderBytes = 5

/**
 * A push for one id. Its tail is shared by all ids, so nothing is copied before the frame goes into a write. A tail
 * that was compressed once for all refers to nothing before itself: the head is before it in a stored block, and
 * as both blocks end on a byte they are simply joined.
 */
export class PushFrame implements Frame {
  readonly length: number
  private readonly head: string
  private readonly tail: Buffer
  private readonly isDeflated: boolean

  constructor(id: RpcId, tail: Buffer, isDeflated: boolean) {
    this.head = pushHead(id)
    this.tail = tail
    this.isDeflated = isDeflated
    const { payloadBytes } = this
    this.length = headerBytes(payloadBytes) + payloadBytes
  }

  copy(target: Buffer, at: number): void {
    const { head, tail, isDeflated } = this
    let next = writeHeader(target, at, isDeflated ? deflatedTextBits : textBits, this.payloadBytes)
    if (isDeflated) {
      target[next] = 0
      target.writeUInt16LE(head.length, next + 1)
      target.writeUInt16LE(~head.length & 0xffff, next + 3)
      next += storedHeaderBytes
    }
    // A call into the encoder costs more than these few characters.
    for (let index = 0; index < head.length; index += 1) target[next++] = head.charCodeAt(index)
    target.set(tail, next)
  }

  private get payloadBytes(): number {
    return (this.isDeflated ? storedHeaderBytes : 0) + this.head.length + this.tail.length
  }
}

/** Frames in order in one buffer. */
export function joinFrames(frames: readonly Frame[], bytes: number): Buffer {
  const joined = Buffer.allocUnsafe(bytes)
  let at = 0
  for (const frame of frames) {
    frame.copy(joined, at)
    at += frame.length
  }
  return joined
}
