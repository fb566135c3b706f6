/**
 * What compatibility mode takes where `parse` would refuse a text: another one, or none, as if the parameter was not given.
 * The caller is told by a `Warning` field, which says nothing that he wrote: it goes into the head of the answer.
 */
export type Correction = { text: string | undefined; warning: string }

/** `100.0` is 100 to clients whose numbers are all floats. */
export function wholeFloat(name: string, text: string): Correction | null {
  const whole = /^([+-]?\d{1,400})\.0*$/.exec(text)?.[1]
  if (whole === undefined) return null
  return { text: whole, warning: `${name} is a whole number: it was taken without its fraction` }
}

/** As many rows as there may be, for who wants more. */
export function clamped(name: string, text: string, max: number): Correction | null {
  const whole = wholeFloat(name, text)
  const digits = whole?.text ?? text
  if (!/^\+?\d{1,400}$/.test(digits) || Number(digits) <= max) return whole
  return { text: String(max), warning: `${name} is at most ${max}: ${max} is used` }
}

/** The default order, for who wants one that does not exist. */
export function knownOrder(
  name: string,
  text: string,
  { words, default: first }: { words: readonly string[]; default: string },
): Correction | null {
  if (words.includes(text)) return null
  return { text: undefined, warning: `${name} has a value that is not known: ${first} is used` }
}

/** As RFC 7234, 5.5 writes it: 299 is a warning that stays true when the answer is asked for again. */
export function warningField(warning: string): string {
  return `299 - "${warning}"`
}

// The head of an answer has little room.
const itemsNamedMax = 10

/** Names the items of a list that were left out, by their place. */
export function leftOutWarning(name: string, places: readonly number[], rule: string): string {
  const named = places.slice(0, itemsNamedMax).map((place) => `${name}[${place}]`)
  const rest = places.length - named.length
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''} left out: ${rule}`
}
