import { connect } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../../lib/logger.ts'
import { createSecretRedactor, type Secrets } from '../../../lib/redactSecrets.ts'
import type { Commitment } from '../solanaRpc.ts'

// Protocol buffers wire format, as far as messages of nodes need it: fields in any order, unknown
// ones skipped.

const [varint, eightBytes, sized, fourBytes] = [0, 1, 2, 5]

/** A field: its number, and its value as a number or as bytes of the message. */
export type Field = { number: number; value: number; bytes: Buffer }

const noBytes = Buffer.alloc(0)

/** Yields the fields of a message. Throws RangeError for malformed bytes. */
export function* fieldsOf(message: Buffer): Generator<Field> {
  const at = { place: 0 }
  while (at.place < message.length) {
    const key = readVarint(message, at)
    const [number, type] = [Math.floor(key / 8), key % 8]
    if (type === varint) yield { number, value: readVarint(message, at), bytes: noBytes }
    else if (type === sized) {
      const length = readVarint(message, at)
      yield { number, value: 0, bytes: take(message, at, length) }
    } else if (type === eightBytes || type === fourBytes)
      yield { number, value: 0, bytes: take(message, at, type === eightBytes ? 8 : 4) }
    else throw new RangeError('no field of a message')
  }
}

function take(message: Buffer, at: { place: number }, length: number): Buffer {
  const end = at.place + length
  if (end > message.length) throw new RangeError('a field is longer than its message')
  const bytes = message.subarray(at.place, end)
  at.place = end
  return bytes
}

/** Reads a varint as a double, which is exact for slots, indexes and lamports. */
function readVarint(message: Buffer, at: { place: number }): number {
  let [value, scale] = [0, 1]
  for (let count = 0; count < 10; count++) {
    const byte = message[at.place++]
    if (byte === undefined) throw new RangeError('the message ends in a number')
    value += (byte & 0x7f) * scale
    scale *= 128
    if (byte < 0x80) return value
  }
  throw new RangeError('a number is too long')
}

function writeVarint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) + 128)
  }
}

export function numberField(number: number, value: number): Buffer {
  return Buffer.concat([writeVarint(number * 8 + varint), writeVarint(value)])
}

export function bytesField(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([writeVarint(number * 8 + sized), writeVarint(bytes.length), bytes])
}

// Messages to and from a Yellowstone node, by the field numbers of geyser.proto.

/** A node that streams blocks. */
export type GrpcEndpoint = { url: string; token?: string | undefined }

type GrpcStreamOptions = GrpcEndpoint & {
  commitment: Commitment
  /** Secrets to redact, besides those of the endpoint. @default none */
  secrets?: Secrets | undefined
  logger: Logger
  signal: AbortSignal
  onBlock(bytes: Buffer): void
  /** Delay before the first reconnect. @default 250 */
  retryMs?: number | undefined
}

const retryMsDefault = 250
const retryMsMax = 10_000
// Idle nodes send a ping every fifteen seconds, so a longer silence means a lost connection.
const silentMsMax = 40_000
// Limit of a message: a block takes several megabytes.
const messageBytesMax = 64 * 1_024 * 1_024
// With the small default window every block would take many round trips.
const windowBytes = 16 * 1_024 * 1_024
const headBytes = 5

/** Streams blocks of a Yellowstone node by gRPC over HTTP/2, and reconnects until stopped. */
export async function followGrpc(options: GrpcStreamOptions): Promise<void> {
  const { logger, signal, retryMs = retryMsDefault } = options
  let failures = 0
  while (!signal.aborted) {
    const onBlock = (bytes: Buffer) => {
      failures = 0
      options.onBlock(bytes)
    }
    const fault = await streamBlocks({ ...options, onBlock })
    if (signal.aborted) return
    const delayMs = Math.min(retryMsMax, retryMs * 2 ** failures)
    failures += 1
    logger.warn({ msg: 'Block stream ended', endpoint: new URL(options.url).host, fault, delayMs })
    await sleep(delayMs, undefined, { signal }).catch(() => undefined)
  }
}

type BlockStreamOptions = Omit<GrpcStreamOptions, 'logger' | 'retryMs'>

/** Runs one connection. Resolves with the reason of its end. */
export function streamBlocks(options: BlockStreamOptions): Promise<string> {
  const { url, token, commitment, secrets, signal, onBlock } = options
  const hide = createSecretRedactor({
    urls: [url, ...(secrets?.urls ?? [])],
    words: [token ?? '', ...(secrets?.words ?? [])],
  })
  return new Promise((resolve) => {
    const session = connect(new URL(url).origin, { settings: { initialWindowSize: windowBytes } })
    let silence: NodeJS.Timeout
    const end = (fault: string) => {
      clearTimeout(silence)
      signal.removeEventListener('abort', onAbort)
      session.destroy()
      resolve(hide(fault))
    }
    const onAbort = () => end('stopped')
    const heard = () => {
      clearTimeout(silence)
      silence = setTimeout(() => end(`It said nothing for ${silentMsMax} ms`), silentMsMax)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    heard()
    session.on('error', (error) => end(error.message))
    session.on('close', () => end('It closed the connection'))
    session.on('connect', () => session.setLocalWindowSize(windowBytes))
    const stream = session.request({
      ':method': 'POST',
      ':path': subscribePath,
      te: 'trailers',
      'content-type': 'application/grpc',
      ...(token !== undefined && { 'x-token': token }),
    })
    stream.on('error', (error) => end(error.message))
    const onHead = (headers: Record<string, unknown>) => {
      const { 'grpc-status': status = '0', 'grpc-message': message = '' } = headers
      const http = headers[':status'] ?? 200
      if (status !== '0' || http !== 200) end(`It refused: ${http} ${status} ${message}`)
    }
    stream.on('response', onHead)
    stream.on('trailers', onHead)
    stream.on('end', () => end('It ended the stream'))
    const read = createFrameReader((message) => {
      const update = readUpdate(message)
      if (update.type === 'block') onBlock(update.bytes)
      // A node that sends pings but does not read gets no more answers.
      else if (update.type === 'ping' && !stream.writableNeedDrain)
        stream.write(framed(pingRequest()))
    })
    stream.on('data', (chunk: Buffer) => {
      heard()
      try {
        read(chunk)
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        end(`What it says is no message: ${error.message}`)
      }
    })
    stream.write(framed(subscribeRequest(commitment)))
  })
}

/** Prefixes an uncompressed message with its length. */
export function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** Reassembles messages from chunks. */
function createFrameReader(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = []
  let bytes = 0
  let needed = headBytes
  return (chunk) => {
    chunks.push(chunk)
    bytes += chunk.length
    while (bytes >= needed) {
      const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      chunks = [all]
      if (all[0] !== 0) throw new RangeError('it is compressed')
      const length = all.readUInt32BE(1)
      if (length > messageBytesMax) throw new RangeError(`it has ${length} bytes`)
      needed = headBytes + length
      if (bytes < needed) return
      onMessage(all.subarray(headBytes, needed))
      chunks = [all.subarray(needed)]
      bytes -= needed
      needed = headBytes
    }
  }
}

const subscribePath = '/geyser.Geyser/Subscribe'

const levels: Readonly<Record<Commitment, number>> = { processed: 0, confirmed: 1, finalized: 2 }
// Field numbers of SubscribeRequest, of its named filters, and of the block filter.
const [blocks, commitmentLevel, ping] = [4, 6, 9]
const [mapKey, mapValue] = [1, 2]
const includeTransactions = 2
const pingId = 1

/** Encodes a subscription to whole blocks that reached the commitment. */
function subscribeRequest(commitment: Commitment): Buffer {
  const filter = Buffer.concat([
    bytesField(mapKey, Buffer.from('blocks')),
    bytesField(mapValue, numberField(includeTransactions, 1)),
  ])
  return Buffer.concat([
    bytesField(blocks, filter),
    numberField(commitmentLevel, levels[commitment]),
  ])
}

/** Encodes the answer to a node's ping. */
function pingRequest(): Buffer {
  return bytesField(ping, numberField(pingId, 1))
}

export type Update = { type: 'block'; bytes: Buffer } | { type: 'ping' | 'other' }

/** Decodes a SubscribeUpdate. */
function readUpdate(message: Buffer): Update {
  const [blockField, pingField] = [5, 6]
  for (const { number, bytes } of fieldsOf(message)) {
    if (number === blockField) return { type: 'block', bytes }
    if (number === pingField) return { type: 'ping' }
  }
  return { type: 'other' }
}
