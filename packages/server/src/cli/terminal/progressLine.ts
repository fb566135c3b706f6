import { escapeText } from '../../lib/escapeText.ts'
import { blockNumberDistance, lowestNumberAfter } from '../../model/block.ts'
import type { BackfillProgress } from '../../ops/runBackfill.ts'
import type { TextSink } from '../context.ts'

// A log file needs few lines, a terminal several updates a second.
const plainEveryMs = 10_000
const ttyEveryMs = 200

type ProgressLine = {
  update(progress: BackfillProgress): void
  /** Leaves the last state visible. */
  end(): void
}

/**
 * Shows the progress of every chain: a bar that rewrites itself on a terminal, plain lines
 * elsewhere.
 */
export function createProgressLine(sink: TextSink, nowMs: () => number): ProgressLine {
  const startedMs = nowMs()
  /** Indexed by chain, in the order of their first report. */
  const newest = new Map<string, BackfillProgress>()
  let writtenMs = Number.NEGATIVE_INFINITY
  let isShown = true

  function write(): void {
    const elapsedMs = nowMs() - startedMs
    const texts = [...newest.values()].map((progress) => {
      const text = progressText(progress, elapsedMs)
      return sink.isTTY ? `${progressBar(progress)} ${text}` : text
    })
    if (sink.isTTY) sink.write(`\r\x1b[2K${texts.join('   ').slice(0, sink.columns - 1)}`)
    else for (const text of texts) sink.write(`${text}\n`)
    writtenMs = nowMs()
    isShown = true
  }

  return {
    update(progress) {
      newest.set(progress.chain, progress)
      isShown = false
      if (nowMs() - writtenMs >= (sink.isTTY ? ttyEveryMs : plainEveryMs)) write()
    },
    end() {
      if (!isShown) write()
      if (sink.isTTY && newest.size > 0) sink.write('\n')
    },
  }
}

const barChars = 20

/** Full only when all is done. */
export function progressBar({ fromBlock, nextBlock, toBlock }: BackfillProgress): string {
  const total = totalOf({ fromBlock, toBlock })
  const share = total <= 0 ? 1 : blockNumberDistance(fromBlock, nextBlock) / total
  const filled = Math.floor(Math.min(Math.max(share, 0), 1) * barChars)
  return `[${'='.repeat(filled)}${' '.repeat(barChars - filled)}]`
}

export function progressText(progress: BackfillProgress, elapsedMs: number): string {
  const { chain, fromBlock, nextBlock, toBlock, eventCount, blockCount } = progress
  const total = totalOf({ fromBlock, toBlock })
  // Later blocks belong to the running service.
  const done = Math.min(total, blockNumberDistance(fromBlock, nextBlock))
  const percent = total <= 0 ? 100 : (done / total) * 100
  const seconds = elapsedMs / 1_000
  const eventsPerS = seconds > 0 ? Math.round(eventCount / seconds) : 0
  const blocksPerS = seconds > 0 ? blockCount / seconds : 0
  const etaS = blocksPerS > 0 ? (total - done) / blocksPerS : null
  return [
    chain,
    `${grouped(done)}/${grouped(total)} blocks`,
    // Rounded down: 100 % means done.
    `${(Math.floor(percent * 10) / 10).toFixed(1)} %`,
    `${grouped(eventsPerS)} events/s`,
    `ETA ${etaS === null ? '-' : durationText(etaS)}`,
    ...(!progress.waitsFor || done >= total ? [] : [`waits for ${progress.waitsFor}`]),
  ]
    .map(escapeText)
    .join('  ')
}

/** Block numbers to go through; a chain may skip some. */
function totalOf({ fromBlock, toBlock }: Pick<BackfillProgress, 'fromBlock' | 'toBlock'>): number {
  return blockNumberDistance(fromBlock, lowestNumberAfter(toBlock))
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

function durationText(seconds: number): string {
  const whole = Math.ceil(seconds)
  const two = (count: number) => String(count).padStart(2, '0')
  return `${two(Math.floor(whole / 3_600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}
