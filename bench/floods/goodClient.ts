// A well-behaved client in a separate process: requests a token at intervals and follows trades.
import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import { percentile } from '../rest/httpLoad.ts'
import { chainName, tokenAddress } from '../rest/market.ts'
import { goodKey } from './floodKeys.ts'

export type GoodOrder = { port: number; durationMs: number; blockEveryMs: number }
export type Waits = { p50Ms: number; p99Ms: number; worstMs: number; count: number }
export type GoodAnswer = { type: 'waits'; rest: Waits; pushes: Waits }

const askEveryMs = 10
const followedTokens = 40

function waitsOf(all: number[]): Waits {
  const waitsMs = Float64Array.from(all).sort()
  return {
    p50Ms: percentile(waitsMs, 0.5),
    p99Ms: percentile(waitsMs, 0.99),
    worstMs: Math.max(0, ...waitsMs),
    count: waitsMs.length,
  }
}

const idOf = (token: number) => `${tokenAddress(token)}-${chainName}`

/** Sends one request after another, each when it is due. */
async function askTokens(socket: Socket, untilMs: number): Promise<number[]> {
  const waitsMs: number[] = []
  for (let at = 0, dueMs = performance.now(); dueMs < untilMs; at += 1, dueMs += askEveryMs) {
    const aheadMs = dueMs - performance.now()
    if (aheadMs > 0) await new Promise((done) => setTimeout(done, aheadMs))
    const path = `/v2/tokens/${idOf(2 + (at % 500))}`
    const answered = wholeAnswer(socket)
    const sentMs = performance.now()
    socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nX-API-KEY: ${goodKey}\r\n\r\n`)
    await answered
    waitsMs.push(performance.now() - sentMs)
    // After a late answer, requests that were due meanwhile are not made up.
    dueMs = Math.max(dueMs, performance.now() - askEveryMs)
  }
  return waitsMs
}

function wholeAnswer(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    const onClose = () => reject(new Error('The good client was cut off.'))
    const onData = (chunk: string) => {
      text += chunk
      const bodyAt = text.indexOf('\r\n\r\n') + 4
      const size = /content-length: (\d+)/i.exec(text)?.[1]
      if (bodyAt < 4 || size === undefined || text.length < bodyAt + Number(size)) return
      if (!text.startsWith('HTTP/1.1 200')) reject(new Error(text.slice(0, 200)))
      socket.off('data', onData).off('close', onClose)
      resolve()
    }
    socket.on('data', onData).once('close', onClose)
  })
}

/** Measures how late each push arrives. */
async function followTrades({ port, durationMs, blockEveryMs }: GoodOrder): Promise<number[]> {
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}/?api_key=${goodKey}`)
  await new Promise((resolve, reject) => webSocket.once('open', resolve).once('error', reject))
  for (let token = 0; token < followedTokens; token += 1)
    webSocket.send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: token,
        method: 'subscribe',
        params: ['multi_tx', tokenAddress(token + 2), chainName],
      }),
    )
  const waitsMs: number[] = []
  let lastMs = 0
  const waitForNow = () => {
    const nowMs = performance.now()
    if (lastMs > 0 && nowMs - lastMs > blockEveryMs / 2)
      waitsMs.push(Math.max(0, nowMs - lastMs - blockEveryMs))
    lastMs = nowMs
  }
  webSocket.on('message', (data) => {
    if (data.toString().includes('"topic"')) waitForNow()
  })
  await new Promise((done) => setTimeout(done, durationMs))
  waitForNow()
  webSocket.terminate()
  return waitsMs
}

process.on('message', async (order: GoodOrder) => {
  const socket = connect(order.port, '127.0.0.1').setEncoding('latin1').setNoDelay()
  const [rest, pushes] = await Promise.all([
    askTokens(socket, performance.now() + order.durationMs),
    followTrades(order),
  ])
  socket.destroy()
  const answer: GoodAnswer = { type: 'waits', rest: waitsOf(rest), pushes: waitsOf(pushes) }
  process.send?.(answer)
})
process.on('disconnect', () => process.exit(0))
process.send?.({ type: 'ready' })
