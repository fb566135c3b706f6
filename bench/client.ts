// Overhead of the client over JSON.parse of each message, and the memory of a stream. A fake socket
// delivers ready texts, so that neither network nor server is measured.
import { createTape, type SocketClass } from '../packages/client/src/index.ts'
import { collectGarbage } from '../test/support/collectGarbage.ts'
import { type BenchTable, countText } from './benchTable.ts'

const messages = 100_000
const rounds = 7
const streams = 10_000

const pushOf = (id: number, at: number) =>
  `{"id":${id},"jsonrpc":"2.0","result":{"id":"0x8bc3","topic":"tx","tx":{"amm":"uniswapv2","amount_eth":"6.186525270183824914","amount_usd":"15369.6113502","block_number":${at},"chain":"local","direction":"buy","from_address":"0x465d31d775b615e8ac514509704bd4abc89689de","from_amount":"6.186525270183824914","from_price_eth":"1","from_price_usd":"2484.3689597892662","from_symbol":"WETH","id":"${at}-11","pair_address":"0x8bc3468d464904e8b439286d2bd69f8be8e24d58","time":1750000030,"to_address":"0xc62edc1763a19692748d6e7d7988309956c6f66a","to_amount":"325857161.737233670873238182","to_symbol":"COOTT","transaction":"0x51f3b438f103a8134b94631ae5d061c5b56bbd93704a32826f2cffadc8b0bcd1","wallet_address":"0xb88a74df7a36ca38f84479af54224e3088cff1cf"}},"cursor":"${at}-bdf047a4-11","block_time":1750000030,"received_time":1750000030398,"sent_time":1750000030412}`

type Receive = (event: { data: string }) => void

/** A fake WebSocket that accepts every subscription at once. */
class ReadySocket {
  static receive: Receive = () => undefined
  onopen: (() => void) | null = null
  onmessage: Receive | null = null
  onclose = null
  onerror = null
  constructor() {
    setImmediate(() => this.onopen?.())
  }
  send(text: string): void {
    const { id } = JSON.parse(text) as { id?: number }
    ReadySocket.receive = (event) => this.onmessage?.(event)
    const data = `{"jsonrpc":"2.0","id":${id},"result":{"status":"ok","subscribed":[],"rejected":[]}}`
    if (id !== undefined) queueMicrotask(() => this.onmessage?.({ data }))
  }
  close(): void {}
}

const open = () =>
  createTape({ url: 'http://localhost', WebSocket: ReadySocket as unknown as SocketClass })

/** Messages per second of CPU time: the machine may be busy otherwise. */
function rateOf(run: (text: string) => void): number {
  const texts = Array.from({ length: 1_000 }, (_, at) => pushOf(1, at))
  const start = process.cpuUsage()
  for (let at = 0; at < messages; at += 1) run(texts[at % 1_000]!)
  const { user, system } = process.cpuUsage(start)
  return messages / ((user + system) / 1_000_000)
}

const medianOf = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

export async function runClientBench(): Promise<BenchTable> {
  const seen = { plain: 0, ours: 0 }
  const tape = open()
  const stream = tape.swaps('0x8bc3-local')
  void stream.each(({ id }) => {
    seen.ours += id.length
  })
  await stream.opened()
  const rates: { plain: number[]; ours: number[] } = { plain: [], ours: [] }
  // Alternates both, so that they run under the same conditions.
  for (let round = 0; round < rounds; round += 1) {
    rates.plain.push(
      rateOf((text) => {
        seen.plain += JSON.parse(text).result.tx.id.length
      }),
    )
    rates.ours.push(rateOf((data) => ReadySocket.receive({ data })))
  }
  if (seen.plain !== seen.ours) throw new Error('The client did not give every message.')
  await tape.close()
  const many = open()
  await collectGarbage()
  const before = process.memoryUsage().heapUsed
  const all = Array.from({ length: streams }, (_, at) => many.swaps(`0x${at}-local`))
  await Promise.all(all.map((one) => one.opened()))
  await collectGarbage()
  const bytes = (process.memoryUsage().heapUsed - before) / all.length
  await many.close()
  return {
    name: 'client',
    rows: [
      {
        metric: 'JSON.parse of swaps alone, messages per second of CPU',
        value: countText(medianOf(rates.plain)),
      },
      {
        metric: 'streamed to a callback, messages per second of CPU',
        value: countText(medianOf(rates.ours)),
      },
      { metric: `heap of a stream, of ${countText(streams)}, bytes`, value: countText(bytes) },
    ],
  }
}
