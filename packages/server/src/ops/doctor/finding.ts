import type { Config } from '../../config/schema/schema.ts'
import type { Logger } from '../../lib/logger.ts'
import type { SwapSummary } from '../../model/swapLine.ts'

/** Result of one check. */
export type DoctorFinding = {
  /** The checked thing: a chain, one of its nodes, the database, or the machine. */
  subject: string
  check: string
  /** `warn`: works, but could work better. `fail`: a service would not work, or not correctly. */
  level: 'ok' | 'warn' | 'fail'
  text: string
  /** Advice to the operator; null if nothing is needed. */
  advice: string | null
}

export type DoctorCheckOptions = {
  config: Config
  logger: Logger
  nowMs: () => number
}

/** Checks one dependency of a service. Problems are returned as findings, never thrown. */
export type DoctorCheck = (options: DoctorCheckOptions) => Promise<DoctorFinding[]>

/** Returns constructors for findings about one subject. */
export function findingsOf(subject: string) {
  return {
    ok: (check: string, text: string): DoctorFinding => ({
      subject,
      check,
      level: 'ok',
      text,
      advice: null,
    }),
    warn: (check: string, text: string, advice: string): DoctorFinding => ({
      subject,
      check,
      level: 'warn',
      text,
      advice,
    }),
    fail: (check: string, text: string, advice: string): DoctorFinding => ({
      subject,
      check,
      level: 'fail',
      text,
      advice,
    }),
  }
}

/** Report on a node that no config names, with a sample of decoded newest blocks. */
export type UrlReport<Sample> = {
  findings: DoctorFinding[]
  /** Name of the chain, found by the node's chain id; null: no preset or config has this id. */
  chain: string | null
  /** Swaps decoded from the newest blocks; null: the node returned no blocks. */
  sample: Sample | null
}

export type CheckUrlOptions = DoctorCheckOptions & {
  url: URL
  /** Number of newest blocks to decode. */
  blocks: number
}

/** Swaps decoded from some blocks. */
export type SwapSample = {
  swaps: number
  /** Swap count by venue, largest first. */
  venues: Record<string, number>
  examples: SwapSummary[]
}

const examplesMax = 5

export function swapSampleOf(lines: readonly SwapSummary[]): SwapSample {
  return {
    swaps: lines.length,
    venues: Object.fromEntries(countWords(lines.map(({ venue }) => venue))),
    examples: lines.slice(0, examplesMax),
  }
}

/** Counts equal words; largest count first. */
export function countWords(words: readonly string[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)
}

/** Formats a sample, such as `12 swaps (9 uniswap_v3, 3 uniswap_v2)`. */
export function swapsText({ swaps, venues }: SwapSample): string {
  const counts = Object.entries(venues).map(([venue, count]) => `${count} ${venue}`)
  return `${swaps} swaps${counts.length === 0 ? '' : ` (${counts.join(', ')})`}`
}

export function percentText(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
