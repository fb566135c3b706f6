// Simulates a node on its own machine: replays the real node's answers one at a time, each after
// the time that the real node took. Unknown requests are forwarded to the real node. Run as `tsx
// pacedNode.ts RPC_URL`; on request it repeats all recorded requests to measure their times on an
// idle machine.
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MarketNodeMessage, MarketNodeOrder } from './marketNode.ts'
import { postJson } from './postJson.ts'

const rpcUrl = process.argv[2]!
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const tell = (message: MarketNodeMessage) => process.send?.(message)

type Recorded = { answer: Buffer; tookMs: number }
const recorded = new Map<string, Recorded>()
/** One request at a time: parallel requests would slow each other down. */
let recording = Promise.resolve()
/** Time at which the last scheduled answer is sent. */
let freeAtMs = 0
let isListening = false

async function record(asked: string): Promise<void> {
  const startMs = performance.now()
  const answer = await postJson(rpcUrl, agent, asked)
  recorded.set(asked, { answer, tookMs: performance.now() - startMs })
}

async function give(response: ServerResponse, asked: string): Promise<void> {
  response.setHeader('content-type', 'application/json')
  const known = recorded.get(asked)
  if (known === undefined) {
    recording = recording.then(() => (recorded.has(asked) ? undefined : record(asked)))
    await recording
    response.end(recorded.get(asked)!.answer)
    return
  }
  const nowMs = performance.now()
  freeAtMs = Math.max(nowMs, freeAtMs) + known.tookMs
  setTimeout(() => response.end(known.answer), freeAtMs - nowMs)
}

async function readAll(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

const server = createServer(async (request, response) => {
  if (isListening) tell({ type: 'asked', atMs: Date.now() })
  isListening = false
  await give(response, await readAll(request))
})
process.on('message', async (order: MarketNodeOrder) => {
  if (order.type === 'listen') {
    isListening = true
    return
  }
  for (const asked of recorded.keys()) await record(asked)
  tell({ type: 'timed' })
})
process.on('disconnect', () => process.exit(0))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  tell({ type: 'ready', rpcUrl: `http://127.0.0.1:${port}`, wsUrl: '', profile: null })
})
