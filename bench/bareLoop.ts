// The minimum cost of reading a chain: fetches logs and full blocks and calls JSON.parse. Run as a
// separate process, as the service is: `tsx bareLoop.ts RPC_URL TO_BLOCK RANGE LANES` prints
// {"logs": n, "ms": n, "lateMs": n}; `lateMs` leaves out the first third of the blocks.
import { Agent } from 'node:http'
import { postJson } from './postJson.ts'

const [rpcUrl, toText, rangeText, lanesText] = process.argv.slice(2)
const [to, range, lanes] = [Number(toText), Number(rangeText), Number(lanesText)]
const agent = new Agent({ keepAlive: true })

async function post(body: string): Promise<unknown> {
  return JSON.parse((await postJson(rpcUrl!, agent, body)).toString())
}

const hex = (value: number) => `0x${value.toString(16)}`
let logs = 0
let next = 0
let lateFromMs = 0

async function lane(): Promise<void> {
  while (next <= to) {
    const from = next
    const last = Math.min(to, from + range - 1)
    next = last + 1
    if (lateFromMs === 0 && from >= to / 3) lateFromMs = performance.now()
    const filter = { fromBlock: hex(from), toBlock: hex(last) }
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] }
    const answer = (await post(JSON.stringify(call))) as { result: unknown[] }
    logs += answer.result.length
    const calls = Array.from({ length: last - from + 1 }, (_, at) => ({
      jsonrpc: '2.0',
      id: at,
      method: 'eth_getBlockByNumber',
      params: [hex(from + at), true],
    }))
    for (let at = 0; at < calls.length; at += 100)
      await post(JSON.stringify(calls.slice(at, at + 100)))
  }
}

const startMs = performance.now()
await Promise.all(Array.from({ length: lanes }, lane))
const endMs = performance.now()
const took = { logs, ms: endMs - startMs, lateMs: endMs - lateFromMs }
process.stdout.write(`${JSON.stringify(took)}\n`)
agent.destroy()
