import { type Range, type Rational, relativeError, toNumber } from './rational.ts'

/** A double that was reached by a few operations on doubles. */
export const priceErrorMax = 1e-14
/** A kline keeps doubles that went through text and back in the store. */
export const klineErrorMax = 1e-13

/** Collects sentences about what differs, under a name. */
export type Differences = {
  sentences: string[]
  same(
    what: string,
    expected: bigint | number | string | null,
    actual: bigint | number | string | null,
  ): void
  near(what: string, expected: Rational | null, actual: number | null, errorMax: number): void
  /** The integer must be one that the exact value, give or take the roundings of doubles, rounds to. */
  inside(what: string, expected: Range, actual: bigint): void
}

export function createDifferences(subject: string): Differences {
  const sentences: string[] = []
  const report = (what: string, expected: unknown, actual: unknown) => {
    sentences.push(`${subject} ${what}: recomputed ${expected}, the service says ${actual}.`)
  }
  return {
    sentences,
    same(what, expected, actual) {
      if (expected !== actual) report(what, expected, actual)
    },
    near(what, expected, actual, errorMax) {
      if (expected === null || actual === null) {
        if (expected !== null || actual !== null)
          report(what, expected && toNumber(expected), actual)
        return
      }
      const error = relativeError(expected, actual)
      if (!(error <= errorMax))
        report(`${what} (relative error ${error.toExponential(1)})`, toNumber(expected), actual)
    },
    inside(what, { low, high }, actual) {
      if (actual < low || actual > high)
        report(what, low === high ? low : `${low} to ${high}`, actual)
    },
  }
}
