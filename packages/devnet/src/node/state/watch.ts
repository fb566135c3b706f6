import { createHash } from 'node:crypto'
import type { Request } from '../provider.ts'
import type { Touched, Trace } from './touched.ts'

/** Notes what mined transactions wrote to. */
export type Watch = {
  /** Given to the EVM. */
  onTraces(traces: readonly Trace[]): void
  /** Takes in what was mined since the last time. */
  read(request: Request): Promise<void>
  /** What transactions looked like that were read. */
  seen(): string[]
}

type Transaction = { hash: string; from: string; to: string | null; input: string }
type Receipt = {
  status: string
  gasUsed: string
  logs: readonly { address: string; topics: readonly string[] }[]
}

// A slot that is written for the first time costs 22,100; amounts of more digits cost some hundreds.
const gasStep = 4096

export type WatchOptions = {
  touched: Touched
  seen: readonly string[]
  /** Read them all, also those that look like one before. */
  isThorough: boolean
}

/**
 * Reading a trace takes some 20 ms, so it is read of one transaction of each kind: same sender, same contract, same function, about
 * the same gas and the same logs but for their data mean the same balances and the same pools, almost always. Where not, the root of
 * the state tells.
 */
export function createWatch({ touched, seen, isThorough }: WatchOptions): Watch {
  const kinds = new Set(seen)
  let waiting: Trace[] = []
  return {
    onTraces: (traces) => void waiting.push(...traces),
    seen: () => [...kinds],
    async read(request) {
      const traces = waiting
      if (traces.length === 0) return
      waiting = []
      const block = await request('eth_getBlockByNumber', ['latest', true])
      const { transactions } = block as { transactions: readonly Transaction[] }
      for (const [index, trace] of traces.entries()) {
        const transaction = traces.length === transactions.length ? transactions[index] : undefined
        const kind = transaction && (await kindOf(request, transaction))
        if (kind !== undefined && kinds.has(kind) && !isThorough) continue
        if (kind !== undefined) kinds.add(kind)
        touched.addTrace(trace.trace)
      }
    },
  }
}

async function kindOf(request: Request, { hash, from, to, input }: Transaction): Promise<string> {
  const receipt = await request('eth_getTransactionReceipt', [hash])
  const { status, gasUsed, logs } = receipt as Receipt
  const marks = new Set(logs.map(({ address, topics }) => [address, ...topics].join()))
  // Without logs nothing but the arguments says whose account it was about.
  const call = logs.length === 0 ? input : input.slice(0, 10)
  const gas = Math.floor(Number(gasUsed) / gasStep)
  const text = [from, to, status, gas, call, ...[...marks].toSorted()].join()
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
