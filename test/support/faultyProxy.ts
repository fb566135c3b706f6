import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createRandom } from './random.ts'
import { linkSockets } from './tcpProxy.ts'

/**
 * A TCP proxy in front of a service that may move: bytes arrive late, in pieces, corrupted or not
 * at all, and then the connection is cut.
 */
export type FaultyProxy = {
  address: string
  /** Sets the service's current address. */
  setTarget(target: string): void
  /** Number of times each fault was injected. */
  faults: Readonly<Record<Fault, number>>
  /** Stops injecting faults. */
  stopFaults(): void
  close(): Promise<void>
}

type Fault = 'delayed' | 'dropped' | 'truncated' | 'reordered'

export type FaultyProxyOptions = {
  seed: number
  /**
   * Shares of the service's data chunks that are delayed, and that end the connection with another
   * fault.
   */
  delayedShare?: number
  cutShare?: number
}

const delayMsMax = 20

export async function startFaultyProxy(options: FaultyProxyOptions): Promise<FaultyProxy> {
  const { delayedShare = 0.2, cutShare = 0.02 } = options
  const random = createRandom(options.seed)
  const faults = { delayed: 0, dropped: 0, truncated: 0, reordered: 0 }
  const sockets = new Set<Socket>()
  let target: URL | null = null
  let isMended = false

  /** The rest of a chunk after the fault, and whether the connection ends after it. */
  function disturbed(piece: Buffer): { piece: Buffer; isLast: boolean } {
    if (isMended || random() >= cutShare) return { piece, isLast: false }
    const fault = (['dropped', 'truncated', 'reordered'] as const)[Math.floor(random() * 3)]!
    faults[fault] += 1
    if (fault === 'dropped') return { piece: Buffer.alloc(0), isLast: true }
    if (fault === 'truncated')
      return { piece: piece.subarray(0, Math.floor(random() * piece.length)), isLast: true }
    // Reverses the head of a frame, so that the rest of the stream cannot be parsed.
    const head = Buffer.from(piece.subarray(0, 4)).reverse()
    return { piece: Buffer.concat([head, piece.subarray(4)]), isLast: true }
  }

  function carry(from: Socket, to: Socket): void {
    // Sends chunks in their order, whatever the delay of each.
    let last = Promise.resolve()
    from.on('data', (bytes) => {
      last = last.then(async () => {
        if (!isMended && random() < delayedShare) {
          faults.delayed += 1
          await new Promise((resolve) => setTimeout(resolve, random() * delayMsMax))
        }
        const { piece, isLast } = disturbed(bytes)
        if (to.writable && piece.length > 0) to.write(piece)
        if (isLast) to.destroySoon()
      })
    })
  }

  const server = createServer((client) => {
    if (target === null) {
      client.on('error', () => undefined).destroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    linkSockets(client, upstream, sockets)
    client.pipe(upstream)
    carry(upstream, client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setTarget(address) {
      target = new URL(address)
    },
    faults,
    stopFaults() {
      isMended = true
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
