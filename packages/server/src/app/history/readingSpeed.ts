import { numbersApart } from '../../model/block.ts'

/** Measures how fast a block number grows, over the last half minute. */
type ReadingSpeed = {
  note(number: number, nowMs: number): void
  perS(): number
}

const spanMs = 30_000
const notesMax = 60

export function createReadingSpeed(): ReadingSpeed {
  let notes: { number: number; atMs: number }[] = []
  return {
    note(number, nowMs) {
      const last = notes.at(-1)
      if (last !== undefined && nowMs - last.atMs < spanMs / notesMax) return
      notes = [...notes.filter(({ atMs }) => nowMs - atMs <= spanMs), { number, atMs: nowMs }]
    },
    perS() {
      const [first, last] = [notes[0], notes.at(-1)]
      if (first === undefined || last === undefined || last.atMs === first.atMs) return 0
      return Math.max(
        0,
        (numbersApart(first.number, last.number) * 1_000) / (last.atMs - first.atMs),
      )
    },
  }
}
