import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Miner } from './miner.ts'
import { readHead } from './node/head.ts'
import type { Request } from './node/provider.ts'

export type RunMarketOptions = {
  miner: Miner
  request: Request
  nowS: () => number
  signal: AbortSignal
  blocksMax: number
  rssBytesMax: number
  blockMs: number
  onHistory: (minedS: number, totalS: number) => void
  onHistoryMined: () => void
}

// Half the rate of live blocks: history is for charts and must be ready soon.
const historyStepS = 2

const measureEveryBlocks = 32

const historyReportEveryBlocks = 16

/** Mines history, then a block each `blockMs` until it is stopped or reaches a limit. */
export async function runMarket(options: RunMarketOptions): Promise<'stopped' | 'full'> {
  const { miner, request, nowS, signal, blocksMax, rssBytesMax, blockMs, onHistory } = options
  let { number, timestampS } = await readHead(request)
  const startS = timestampS

  async function step(timeS: number): Promise<boolean> {
    await miner.mineMarket(timeS)
    const head = await readHead(request)
    number = head.number
    timestampS = head.timestampS
    // Clients of the RPC are answered between two blocks.
    await setImmediate()
    const isLarge = number % measureEveryBlocks === 0 && process.memoryUsage.rss() > rssBytesMax
    return number < blocksMax && !isLarge
  }

  while (timestampS + historyStepS <= nowS() && !signal.aborted) {
    if (!(await step(timestampS + historyStepS))) return 'full'
    if (number % historyReportEveryBlocks === 0) onHistory(timestampS - startS, nowS() - startS)
  }
  if (!signal.aborted) options.onHistoryMined()
  // Faster blocks share a second, as on real chains.
  const stepS = blockMs < 1_000 ? 0 : 1
  while (!signal.aborted) {
    const delayMs = blockMs - (Date.now() % blockMs)
    await setTimeout(delayMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) break
    if (!(await step(Math.max(nowS(), timestampS + stepS)))) return 'full'
  }
  return 'stopped'
}
