import { nearestWord } from './check/checkShape.ts'
import { presets } from './presets.ts'

/** The parts of a chain's description that can name it. */
type Named = Readonly<Record<string, unknown>>

export type FoundChain<Terms> = { name: string; terms: Terms }

/**
 * Finds a chain by its name in `described` or among the presets, by its id in decimal, hex or
 * CAIP-2 form, or by a common alias. `described` has priority. Null if it is unknown.
 */
export function findChain(
  text: string,
  described: Readonly<Record<string, Named>> = {},
): FoundChain<Named> | null {
  const known = { ...presets, ...described }
  if (Object.hasOwn(known, text)) return { name: text, terms: known[text]! }
  const word = wordOf(text)
  const id = /^(\d+|0x[0-9a-f]+)$/.test(word) ? Number(word) : null
  const all = [...Object.entries(described), ...Object.entries(presets)]
  const found =
    all.find(([name]) => name.toLowerCase() === word) ??
    all.find(([, { chain_id: chainId }]) => id !== null && chainId === id) ??
    all.find(([, { aliases = [] }]) => (aliases as readonly string[]).includes(word))
  return found ? { name: found[0], terms: known[found[0]]! } : null
}

/** The chain name or alias nearest to a mistyped text; null if none is near. */
export function suggestChain(
  text: string,
  described: Readonly<Record<string, Named>> = {},
): string | null {
  const found = findChain(text, described)
  if (found !== null) return found.name
  const all: [string, Named][] = [...Object.entries(described), ...Object.entries(presets)]
  const words = all.flatMap(([name, { aliases = [] }]) => [name, ...(aliases as readonly string[])])
  const near = nearestWord(wordOf(text), words)
  return near === null ? null : findChain(near, described)!.name
}

/** Normalizes capitals, blanks and the word mainnet. */
function wordOf(text: string): string {
  const word = text.trim().toLowerCase().replace(/[_ ]/g, '-')
  return word.replace(/^eip155:/, '').replace(/(?<=.)-mainnet$/, '')
}
