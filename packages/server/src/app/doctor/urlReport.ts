import type { SwapLine } from '../../model/swapLine.ts'
import type { CheckOptions, Finding } from './finding.ts'

/** One node that no config names, and what is decoded of its newest blocks. */
export type UrlReport<Sample> = {
  findings: Finding[]
  /** Found by the id that the node gives; null: no preset and no config has it. */
  chain: string | null
  /** Null: the node gives no blocks. */
  sample: Sample | null
}

export type CheckUrlOptions = CheckOptions & {
  url: URL
  /** Newest blocks that are decoded. */
  blocks: number
}

/** The decoded swaps of some blocks. */
export type SwapSample = {
  swaps: number
  /** Swaps by venue, most first. */
  venues: Record<string, number>
  examples: SwapLine[]
}

const examplesMax = 5

export function swapSampleOf(lines: readonly SwapLine[]): SwapSample {
  return {
    swaps: lines.length,
    venues: Object.fromEntries(countsOf(lines.map(({ venue }) => venue))),
    examples: lines.slice(0, examplesMax),
  }
}

/** Most first. */
export function countsOf(words: readonly string[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)
}

/** `swaps` in words. */
export function swapsText({ swaps, venues }: SwapSample): string {
  const counts = Object.entries(venues).map(([venue, count]) => `${count} ${venue}`)
  return `${swaps} swaps${counts.length === 0 ? '' : ` (${counts.join(', ')})`}`
}

export function percentText(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
