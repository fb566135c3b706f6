// A WebSocket client that sends exactly the given bytes, valid or not.

import { connect, type Socket } from 'node:net'

export type RawFrame = { bits: number; payload: Buffer }

export type RawWebSocket = {
  socket: Socket
  send(bytes: Buffer): void
  /** The next frame; null once the server has ended the connection. */
  next(): Promise<RawFrame | null>
}

const mask = Buffer.from([0x37, 0xfa, 0x21, 0x3d])

/** A masked frame; `bits` is the whole first byte. */
export function maskedFrame(bits: number, payload: Buffer | string = ''): Buffer {
  const data = Buffer.from(payload)
  const extended =
    data.length <= 125
      ? Buffer.alloc(0)
      : data.length <= 65_535
        ? Buffer.from([data.length >> 8, data.length & 255])
        : Buffer.concat([
            Buffer.alloc(4),
            Buffer.from(new Uint32Array([data.length]).buffer).swap32(),
          ])
  const length7 = data.length <= 125 ? data.length : data.length <= 65_535 ? 126 : 127
  const masked = data.map((byte, index) => byte ^ mask[index % 4]!)
  return Buffer.concat([Buffer.from([bits, 0x80 | length7]), extended, mask, masked])
}

/** A close frame with a code. */
export function closeFrame(code: number, reason: Buffer | string = ''): Buffer {
  return maskedFrame(
    0x88,
    Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]),
  )
}

export async function openRawWebSocket(
  port: number,
  { path = '/?api_key=key', headers = '' } = {},
): Promise<RawWebSocket> {
  const socket = connect(port, '127.0.0.1')
  let bytes = Buffer.alloc(0)
  let isEnded = false
  let wake = () => {}
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk])
    wake()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isEnded = true
    wake()
  })
  const more = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${headers}\r\n`,
  )
  while (!bytes.includes('\r\n\r\n')) await more()
  bytes = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)

  function take(): RawFrame | null {
    if (bytes.length < 2) return null
    const length7 = bytes[1]! & 127
    const offset = length7 < 126 ? 2 : length7 === 126 ? 4 : 10
    if (bytes.length < offset) return null
    const length =
      length7 < 126
        ? length7
        : length7 === 126
          ? bytes.readUInt16BE(2)
          : Number(bytes.readBigUInt64BE(2))
    if (bytes.length < offset + length) return null
    const frame = { bits: bytes[0]!, payload: bytes.subarray(offset, offset + length) }
    bytes = bytes.subarray(offset + length)
    return frame
  }

  return {
    socket,
    send: (data) => void socket.write(data),
    async next() {
      for (;;) {
        const frame = take()
        if (frame !== null || isEnded) return frame
        await more()
      }
    },
  }
}
