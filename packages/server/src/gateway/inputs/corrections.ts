/**
 * A replacement that compatibility mode parses instead of a text that `parse` would refuse. An
 * undefined text means "not given". `warning` is sent as a `Warning` header and must not repeat the
 * client's input, which could inject headers.
 */
export type Correction = { text: string | undefined; warning: string }

/**
 * Corrects an integer parameter: `100.0` is read as 100, for clients whose numbers are all floats.
 */
export function correctFloat(name: string, text: string): Correction | null {
  const whole = /^([+-]?\d{1,400})\.0*$/.exec(text)?.[1]
  if (whole === undefined) return null
  return { text: whole, warning: `${name} is a whole number: its fraction was dropped` }
}

/** Corrects a row limit: a value above `max` becomes `max`. */
export function clampToMax(name: string, text: string, max: number): Correction | null {
  const whole = correctFloat(name, text)
  const digits = whole?.text ?? text
  if (!/^\+?\d{1,400}$/.test(digits) || Number(digits) <= max) return whole
  return { text: String(max), warning: `${name} is at most ${max}: ${max} is used` }
}

/** Corrects a sort parameter: an unknown word becomes the default. */
export function correctOrder(
  name: string,
  text: string,
  { words, default: first }: { words: readonly string[]; default: string },
): Correction | null {
  if (words.includes(text)) return null
  return { text: undefined, warning: `${name} has an unknown value: ${first} is used` }
}

/** Formats a `Warning` header as in RFC 7234, 5.5. Code 299 marks a persistent warning. */
export function warningHeader(warning: string): string {
  return `299 - "${warning}"`
}

// Response headers have limited room, so only the first ignored items are named.
const itemsNamedMax = 10

/** Formats the warning that lists ignored items of a list by their index. */
export function ignoredItemsWarning(name: string, places: readonly number[], rule: string): string {
  const named = places.slice(0, itemsNamedMax).map((place) => `${name}[${place}]`)
  const rest = places.length - named.length
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''} left out: ${rule}`
}
