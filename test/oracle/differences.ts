import { type Range, type Rational, relativeError, toNumber } from './rational.ts'

/** Relative error of a double that results from a few operations on doubles. */
export const priceErrorMax = 1e-14
/** Stored kline prices were converted to text and back. */
export const klineErrorMax = 1e-13

/** Collects sentences about differences of one subject. */
export type Differences = {
  sentences: string[]
  same(
    what: string,
    expected: bigint | number | string | null,
    actual: bigint | number | string | null,
  ): void
  near(what: string, expected: Rational | null, actual: number | null, errorMax: number): void
  /**
   * The integer must be a possible rounding of the exact value, within the roundings of doubles.
   */
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
