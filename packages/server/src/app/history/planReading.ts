import type { HistoryReading } from '../../gateway/gatewayChain.ts'
import { greatestNumberBefore, numberBelow, numbersApart } from '../../model/block.ts'

export type HistoryFacts = {
  /** Where history shall begin; null: where it does. */
  wantedNumber: number | null
  /** First block that is stored. */
  firstNumber: number
  /** Newest block. */
  headNumber: number
  /** Trades of final blocks were left out, since a node said that their pools are none. */
  hasMissedPools: boolean
  /** A final block is not what the chain says. */
  hasUntrueBlocks: boolean
  /** Blocks before the head that are read first. */
  firstBlocks: number
}

export type ReadingPlan = Pick<HistoryReading, 'reason' | 'fromNumber' | 'wantedNumber'>

// Each part begins so many times further back than the one before, and reads that again: all of them together take an
// eighth more than one reading of everything would, and the newest past is there after a few minutes.
const growth = 8

/** What is to be read of a chain's past, up to its head, to take the place of what is there; null: nothing. */
export function planReading(facts: HistoryFacts): ReadingPlan | null {
  const { firstNumber, headNumber, hasMissedPools, hasUntrueBlocks } = facts
  const wantedNumber = Math.min(facts.wantedNumber ?? firstNumber, firstNumber)
  if (wantedNumber < firstNumber) {
    const known = numbersApart(firstNumber, headNumber)
    const blocks = Math.max(facts.firstBlocks, known * growth)
    // What little would be left for another part goes along.
    const isLast = numbersApart(wantedNumber, headNumber) <= blocks * 2
    const below = Math.min(numberBelow(headNumber, blocks), greatestNumberBefore(firstNumber))
    const fromNumber = isLast ? wantedNumber : below
    return { reason: 'start', fromNumber: Math.max(fromNumber, wantedNumber), wantedNumber }
  }
  if (!hasMissedPools && !hasUntrueBlocks) return null
  const reason = hasMissedPools ? 'pools' : 'doubts'
  return { reason, fromNumber: wantedNumber, wantedNumber }
}

const dayS = 86_400

/** `history.from` as a block, or as unix seconds. */
export function historyStartOf(
  from: number | string,
  nowS: number,
): { number: number } | { timeS: number } {
  if (typeof from === 'number') return { number: from }
  if (from.endsWith('d')) return { timeS: Math.max(0, nowS - Number.parseInt(from, 10) * dayS) }
  return { timeS: Math.floor(Date.parse(from) / 1_000) }
}
