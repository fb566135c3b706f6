import { decodeFunctionResult, type Hex, keccak256, parseAbi, stringToHex } from 'viem'
import { selectorSets } from '../signatures/selectorSets.ts'
import type { PinnedState } from '../trade/pinnedState.ts'
import { addressOfWord } from '../words.ts'

/** Code that a diamond (EIP-2535) runs for some of its functions. */
export type Facet = { address: string; selectors: readonly string[] }

export const diamondCutSelector = '0x1f931c1c'
const facetsSelector = '0x7a0ed627'
const transferSelector = '0xa9059cbb'
const loupeAbi = parseAbi([
  'struct Facet { address facetAddress; bytes4[] functionSelectors; }',
  'function facets() view returns (Facet[])',
])
// Slot where the standard's reference implementations keep the mapping from function to facet.
const diamondStorage = keccak256(stringToHex('diamond.standard.diamond.storage'))
// The largest known diamonds have half as many.
const facetsMax = 64

/**
 * Reads the facets from the diamond's loupe functions, else from its storage. Null if it is not a
 * diamond or neither answers.
 */
export async function readFacets(state: PinnedState, address: string): Promise<Facet[] | null> {
  const [answer] = await state.call([{ to: address, data: facetsSelector }])
  const listed = answer?.type === 'answered' ? decodeFacets(answer.data) : null
  return listed ?? (await facetsOfStorage(state, address))
}

function decodeFacets(data: string): Facet[] | null {
  try {
    const facets = decodeFunctionResult({
      abi: loupeAbi,
      functionName: 'facets',
      data: data as Hex,
    })
    if (facets.length === 0 || facets.length > facetsMax) return null
    return facets.map(({ facetAddress, functionSelectors }) => ({
      address: facetAddress.toLowerCase(),
      selectors: functionSelectors,
    }))
  } catch {
    return null
  }
}

/** Only functions known by name can be looked up in storage. */
async function facetsOfStorage(state: PinnedState, address: string): Promise<Facet[] | null> {
  const [first] = await state.storage(address, [slotOf(transferSelector)])
  if (facetOfWord(first!) === null) return null
  const known = new Set(Object.values(selectorSets).flatMap((set) => [...set]))
  const selectors = [...known, diamondCutSelector]
  const words = await state.storage(address, selectors.map(slotOf))
  const found = new Map<string, string[]>()
  for (const [at, selector] of selectors.entries()) {
    const facet = facetOfWord(words[at]!)
    if (facet !== null) found.set(facet, [...(found.get(facet) ?? []), selector])
  }
  return found.size > facetsMax
    ? null
    : [...found].map(([facet, its]) => ({ address: facet, selectors: its }))
}

function slotOf(selector: string): string {
  return keccak256(`${selector.padEnd(66, '0')}${diamondStorage.slice(2)}` as Hex)
}

/** A small number and the facet's address, or in the packed form the address and a small number. */
function facetOfWord(word: string): string | null {
  if (/^0x0{16}/.test(word)) return addressOfWord(`0x${'0'.repeat(24)}${word.slice(-40)}`)
  const packed = /^0x([0-9a-f]{40})0{16}/i.exec(word)?.[1]
  return packed === undefined ? null : `0x${packed.toLowerCase()}`
}
