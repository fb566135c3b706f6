/** One answer of a source tree. `name` is unique within its part. */
export type Line = { part: string; name: string; value: unknown }

/** A change of answers that is intended. */
export type IntendedDifference = {
  what: string
  /** The version or day of the change. */
  since: string
  why: string
  /** Whether the change affects this line. */
  applies(line: Line): boolean
  /**
   * Returns the line as it is after the change, from the line of the reference; null if the line is
   * removed.
   */
  now(line: Line): Line | null
}

const shownChars = 160

/**
 * All differences that `intended` does not explain, as sentences. The order of lines does not
 * matter.
 */
export function differencesBetween(
  reference: readonly Line[],
  current: readonly Line[],
  intended: readonly IntendedDifference[] = [],
): string[] {
  const unused = new Set(intended)
  const meet = (difference: IntendedDifference, line: Line) => {
    const applies = difference.applies(line)
    if (applies) unused.delete(difference)
    return applies
  }
  const expectedLines = reference.flatMap((line) => {
    let expected: Line | null = line
    for (const difference of intended)
      if (expected !== null && meet(difference, expected)) expected = difference.now(expected)
    return expected ?? []
  })
  const expected = textsByKey(expectedLines)
  const found = textsByKey(current)
  const differences: string[] = []
  for (const [key, was] of expected) {
    const now = found.get(key)
    if (now === undefined) differences.push(`${key}: missing`)
    else if (now !== was) differences.push(firstDifference(key, was, now))
  }
  for (const line of current) {
    const isKnown = expected.has(keyOf(line))
    if (!isKnown && !intended.some((difference) => meet(difference, line)))
      differences.push(`${keyOf(line)}: not in the reference`)
  }
  for (const { what } of unused)
    differences.push(`The intended difference "${what}" applies to no line: remove it`)
  return differences
}

const keyOf = ({ part, name }: Line) => `${part}: ${name}`

function textsByKey(lines: readonly Line[]): Map<string, string> {
  const texts = new Map<string, string>()
  for (const line of lines) {
    const key = keyOf(line)
    if (texts.has(key)) throw new Error(`Two lines have the name "${key}". Make names unique.`)
    texts.set(key, JSON.stringify(line.value))
  }
  return texts
}

function firstDifference(key: string, was: string, now: string): string {
  let at = 0
  while (was[at] === now[at]) at += 1
  const from = Math.max(0, at - shownChars / 2)
  const around = (text: string) => text.slice(from, from + shownChars)
  return `${key}: at character ${at}\n  was ${around(was)}\n  now ${around(now)}`
}
