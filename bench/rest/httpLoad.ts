// Requests over raw keep-alive sockets, with the minimal work per answer: finding its end.
import { createConnection, type Socket } from 'node:net'

export type Load = {
  port: number
  connections: number
  durationMs: number
  /** Requests per second. @default as fast as answers arrive */
  ratePerS?: number
  /** The bytes of the next request. */
  next(): Buffer
}

export type LoadResult = {
  requestsPerS: number
  /** Number of answers with another status than 200. */
  failures: number
  bodyBytes: number
  /**
   * Latency from the moment a request was due, so that waiting for a free connection counts.
   * Sorted.
   */
  latenciesMs: Float64Array
}

const headEnd = Buffer.from('\r\n\r\n')
const latenciesMax = 4_000_000

type Lane = { socket: Socket; head: Buffer | null; left: number; dueMs: number; isBusy: boolean }

export async function runLoad(load: Load): Promise<LoadResult> {
  const lanes = await Promise.all(Array.from({ length: load.connections }, () => openLane(load)))
  const latenciesMs = new Float64Array(latenciesMax)
  let answered = 0
  let failures = 0
  let bodyBytes = 0
  const startMs = performance.now()
  const endMs = startMs + load.durationMs
  const idle: Lane[] = []
  const due: number[] = []

  function ask(lane: Lane, dueMs: number): void {
    lane.dueMs = dueMs
    lane.isBusy = true
    lane.socket.write(load.next())
  }

  function onAnswer(lane: Lane): void {
    const nowMs = performance.now()
    latenciesMs[answered++ % latenciesMax] = nowMs - lane.dueMs
    lane.isBusy = false
    if (nowMs >= endMs) return
    if (load.ratePerS === undefined) ask(lane, nowMs)
    else if (due.length > 0) ask(lane, due.shift()!)
    else idle.push(lane)
  }

  function onBytes(lane: Lane, bytes: Buffer): void {
    let chunk = lane.head === null ? bytes : Buffer.concat([lane.head, bytes])
    lane.head = null
    while (chunk.length > 0) {
      if (lane.left === 0) {
        const at = chunk.indexOf(headEnd)
        if (at < 0) {
          lane.head = chunk
          return
        }
        const head = chunk.toString('latin1', 0, at)
        if (!head.startsWith('HTTP/1.1 200')) failures += 1
        lane.left = Number(/content-length: *(\d+)/i.exec(head)![1])
        bodyBytes += lane.left
        chunk = chunk.subarray(at + headEnd.length)
      }
      const taken = Math.min(lane.left, chunk.length)
      lane.left -= taken
      chunk = chunk.subarray(taken)
      if (lane.left === 0) onAnswer(lane)
    }
  }

  for (const lane of lanes) lane.socket.on('data', (bytes: Buffer) => onBytes(lane, bytes))
  if (load.ratePerS === undefined) for (const lane of lanes) ask(lane, performance.now())
  else {
    idle.push(...lanes)
    await paceRequests(load.ratePerS, startMs, endMs, (dueMs) => {
      const lane = idle.pop()
      if (lane === undefined) due.push(dueMs)
      else ask(lane, dueMs)
    })
  }
  while (lanes.some(({ isBusy }) => isBusy)) await new Promise((done) => setTimeout(done, 5))
  const elapsedS = (performance.now() - startMs) / 1_000
  for (const { socket } of lanes) socket.destroy()
  const kept = latenciesMs.slice(0, Math.min(answered, latenciesMax)).sort()
  return { requestsPerS: answered / elapsedS, failures, bodyBytes, latenciesMs: kept }
}

async function openLane({ port }: Load): Promise<Lane> {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  return { socket, head: null, left: 0, dueMs: 0, isBusy: false }
}

/** Issues requests at the rate, each with the time it was due. */
async function paceRequests(
  ratePerS: number,
  startMs: number,
  endMs: number,
  send: (dueMs: number) => void,
): Promise<void> {
  const stepMs = 1_000 / ratePerS
  let dueMs = startMs
  while (dueMs < endMs) {
    for (const nowMs = performance.now(); dueMs <= nowMs && dueMs < endMs; dueMs += stepMs)
      send(dueMs)
    await new Promise((done) => setTimeout(done, 1))
  }
}

export function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
