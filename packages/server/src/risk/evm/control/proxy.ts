import { decodeFunctionResult, type Hex, keccak256, parseAbi, stringToHex } from 'viem'
import { bytesOfHex, opcode, readInstructions } from '../code/instructions.ts'
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

/** The code that runs at an address. */
export type ProxyFacts = {
  /** False if no known form of proxy matches. */
  isProxy: boolean
  isUpgradeable: boolean | null
  /** The code that runs: the token's own, unless it is a proxy. Null if unknown. */
  code: string | null
  /** For a diamond: the code of each facet. */
  facets: readonly FacetCode[]
}

type FacetCode = { code: string; selectors: readonly string[] }

const slotBefore = (name: string) =>
  `0x${(BigInt(keccak256(stringToHex(name))) - 1n).toString(16).padStart(64, '0')}`

// EIP-1967, EIP-1822 and OpenZeppelin's first proxies.
const implementationSlots = [
  slotBefore('eip1967.proxy.implementation'),
  keccak256(stringToHex('PROXIABLE')),
  keccak256(stringToHex('org.zeppelinos.proxy.implementation')),
]
const beaconSlot = slotBefore('eip1967.proxy.beacon')
const implementationSelector = '0x5c60da1b'

// Code that delegates every call to one fixed address: EIP-1167, a shorter form of it, Vyper's, and
// EIP-7702.
const fixedForms: readonly RegExp[] = [
  /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/,
  /^0x3d3d3d3d363d3d37363d73([0-9a-f]{40})5af43d3d93803e602a57fd5bf3/,
  /^0x366000600037611000600036600073([0-9a-f]{40})5af4602c57600080fd5b6110006000f3/,
  /^0xef0100([0-9a-f]{40})$/,
]

// A longer chain of proxies is a loop.
const proxiesMax = 3

export async function readProxy(
  state: PinnedState,
  token: string,
  tokenCode: string,
): Promise<ProxyFacts> {
  let code = tokenCode
  let address = token
  let isProxy = false
  let isUpgradeable = false
  for (let depth = 0; depth < proxiesMax; depth += 1) {
    if (!isDelegating(code)) return { isProxy, isUpgradeable, code, facets: [] }
    const next = await implementationOf(state, address, code)
    // The last code of the chain runs on the storage of the first.
    if (next === null)
      return (await readDiamond(state, token, code)) ?? { isProxy, isUpgradeable, code, facets: [] }
    isProxy = true
    isUpgradeable ||= next.isReplaceable
    address = next.address
    const [found] = await state.code([address])
    code = found!.toLowerCase()
    if (code === '0x') return { isProxy, isUpgradeable, code: null, facets: [] }
  }
  return { isProxy: true, isUpgradeable: null, code: null, facets: [] }
}

/** Data after the code may look like a DELEGATECALL, which only costs some extra calls. */
function isDelegating(code: string): boolean {
  if (fixedTarget(code) !== null) return true
  return readInstructions(bytesOfHex(code)).some(
    ({ op }) => op === opcode.delegateCall || op === opcode.callCode,
  )
}

/** Null if the contract is not a diamond. */
async function readDiamond(
  state: PinnedState,
  token: string,
  code: string,
): Promise<ProxyFacts | null> {
  const facets = await readFacets(state, token)
  if (facets === null) return null
  const codes = await state.code(facets.map(({ address }) => address))
  const isCut = facets.some(({ selectors }) => selectors.includes(diamondCutSelector))
  return {
    isProxy: true,
    // Without diamondCut another function may still replace facets.
    isUpgradeable: isCut || null,
    code,
    facets: facets.map(({ selectors }, i) => ({ code: codes[i]!.toLowerCase(), selectors })),
  }
}

type Implementation = { address: string; isReplaceable: boolean }

async function implementationOf(
  state: PinnedState,
  address: string,
  code: string,
): Promise<Implementation | null> {
  const fixed = fixedTarget(code)
  if (fixed !== null) return { address: fixed, isReplaceable: false }
  const words = await state.storage(address, [...implementationSlots, beaconSlot])
  const [beaconWord] = words.splice(-1)
  const named = words.map(addressOfWord).find((found) => found !== null)
  if (named) return { address: named, isReplaceable: true }
  const beacon = addressOfWord(beaconWord!)
  if (beacon === null) return null
  const [answer] = await state.call([{ to: beacon, data: implementationSelector }])
  const behind = answer?.type === 'answered' ? addressOfWord(answer.data) : null
  return behind === null ? null : { address: behind, isReplaceable: true }
}

/** Returns the address that code of a fixed form delegates to; null for other code. */
export function fixedTarget(code: string): string | null {
  for (const form of fixedForms) {
    const target = form.exec(code)?.[1]
    if (target !== undefined) return `0x${target}`
  }
  return null
}
