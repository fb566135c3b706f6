// RFC 6455, 5.2: FIN with opcode 1; RSV1 marks a compressed message (RFC 7692, 6).
const textBits = 0x81
const deflatedTextBits = 0xc1

const lengthMax7 = 125
const lengthMax16 = 65_535

function headerBytes(payloadBytes: number): number {
  if (payloadBytes <= lengthMax7) return 2
  return payloadBytes <= lengthMax16 ? 4 : 10
}

/** A frame of one whole message, unmasked as a server sends it, with room for the payload behind the header. */
function emptyFrame(bits: number, payloadBytes: number): { frame: Buffer; offset: number } {
  const offset = headerBytes(payloadBytes)
  const frame = Buffer.allocUnsafe(offset + payloadBytes)
  frame[0] = bits
  if (offset === 2) frame[1] = payloadBytes
  else if (offset === 4) {
    frame[1] = 126
    frame.writeUInt16BE(payloadBytes, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(payloadBytes), 2)
  }
  return { frame, offset }
}

export function textFrame(text: string): Buffer {
  const { frame, offset } = emptyFrame(textBits, Buffer.byteLength(text))
  frame.write(text, offset, 'utf8')
  return frame
}

/** The part of a push that differs between subscribers. */
function pushHead(id: number): string {
  return `{"id":${id}`
}

/** Bytes of a push on the wire. */
export function pushFrameBytes(id: number, tail: Buffer): number {
  const payloadBytes = pushHead(id).length + tail.length
  return headerBytes(payloadBytes) + payloadBytes
}

export function pushFrame(id: number, tail: Buffer): Buffer {
  const head = pushHead(id)
  const { frame, offset } = emptyFrame(textBits, head.length + tail.length)
  frame.write(head, offset, 'latin1')
  frame.set(tail, offset + head.length)
  return frame
}

// RFC 1951, 3.2.4: one byte of block header (not the last, stored), then the length twice, once inverted.
const storedHeaderBytes = 5

/**
 * A push whose tail was compressed once for all: the head stands before it in a stored block. Both blocks end on a
 * byte, and the tail refers to nothing before itself, so the two can simply be joined.
 */
export function deflatedPushFrame(id: number, deflatedTail: Buffer): Buffer {
  const head = pushHead(id)
  const payloadBytes = storedHeaderBytes + head.length + deflatedTail.length
  const { frame, offset } = emptyFrame(deflatedTextBits, payloadBytes)
  frame[offset] = 0
  frame.writeUInt16LE(head.length, offset + 1)
  frame.writeUInt16LE(~head.length & 0xffff, offset + 3)
  frame.write(head, offset + storedHeaderBytes, 'latin1')
  frame.set(deflatedTail, offset + storedHeaderBytes + head.length)
  return frame
}
