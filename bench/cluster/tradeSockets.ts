// Clients of a gateway that receive every trade of the busy chain. Only the first one parses
// pushes; the others count them.
import WebSocket from 'ws'
import { testApiKey } from '../../test/support/program.ts'

export type TradeSockets = {
  /** Number of pushes at all sockets. */
  deliveries(): number
  /**
   * Arrival of a block's last trade at the first socket by block number, on the monotonic clock.
   */
  blocksMs: ReadonlyMap<number, number>
  close(): void
}

export async function openTradeSockets(address: string, count: number): Promise<TradeSockets> {
  const blocksMs = new Map<number, number>()
  let deliveries = 0
  const sockets: WebSocket[] = []
  for (let index = 0; index < count; index += 1) {
    const socket = await subscribe(address)
    socket.on('message', (data) => {
      deliveries += 1
      if (index > 0) return
      const { result } = JSON.parse(String(data)) as { result?: { tx?: { block_number: number } } }
      if (result?.tx !== undefined) blocksMs.set(result.tx.block_number, performance.now())
    })
    sockets.push(socket)
  }
  return {
    deliveries: () => deliveries,
    blocksMs,
    close() {
      for (const socket of sockets) socket.terminate()
    },
  }
}

async function subscribe(address: string): Promise<WebSocket> {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/ws`, {
    headers: { 'X-API-KEY': testApiKey },
    perMessageDeflate: false,
  })
  await new Promise((done, failed) => socket.once('open', done).once('error', failed))
  const request = { method: 'subscribe', params: ['trades', 'busy'], id: 1 }
  const answered = new Promise((done) => socket.once('message', done))
  socket.send(JSON.stringify({ jsonrpc: '2.0', ...request }))
  await answered
  return socket
}
