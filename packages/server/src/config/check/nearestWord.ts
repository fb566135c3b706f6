// A suggestion that differs in more than this part of the word does not help.
const distanceShareMax = 0.5

/** The known word with the fewest edits; null if none is near. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  const ofPart = known.find((candidate) => isPart(word, candidate) || isPart(candidate, word))
  if (ofPart !== undefined) return ofPart
  let best: string | null = null
  let bestDistance = Math.floor(word.length * distanceShareMax) + 1
  for (const candidate of known) {
    const distance = editDistance(word, candidate)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** People leave out or add whole parts of a name, as `url` for `http_url`. */
function isPart(short: string, long: string): boolean {
  return short.length > 1 && long.toLowerCase().split('_').includes(short.toLowerCase())
}

/** Levenshtein distance: insertions, deletions and substitutions count one each. */
export function editDistance(a: string, b: string): number {
  /** Distances from the first characters of a to every prefix of b. */
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
