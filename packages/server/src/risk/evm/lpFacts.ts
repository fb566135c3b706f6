import type { ChainProfile } from '../../model/chainProfile.ts'
import type { LpFacts, LpHolder } from '../riskReport.ts'
import type { FoundLog } from './boundedLogs.ts'
import type { PinnedState } from './trade/pinnedState.ts'
import {
  addressOfWord,
  anyAddressOfWord,
  balanceOfData,
  tokenSelector,
  uintOfWord,
} from './words.ts'

export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export type LpQuery = {
  state: PinnedState
  profile: ChainProfile
  pair: string
  /** Asked for their share, as burn addresses and lockers are; null if unknown. */
  owner: string | null
  creator: string | null
  /** Transfers of the pair's share token; null if there are too many to read. */
  transfers: readonly FoundLog[] | null
  holdersMax: number
}

// All pairs of this kind use these decimals for shares.
const lpDecimals = 18

/** Reads who can withdraw a pair's liquidity. Null if the pair has no countable shares. */
export async function readLpFacts(query: LpQuery): Promise<LpFacts | null> {
  const { state, profile, pair } = query
  const [supply] = await state.call([{ to: pair, data: tokenSelector.totalSupply }])
  const totalRaw = supply?.type === 'answered' ? uintOfWord(supply.data) : null
  if (totalRaw === null || totalRaw === 0n) return null
  const book = query.transfers && sumTransfers(query.transfers, profile.burnAddresses[0]!)
  const isWhole = book !== null && sumOf(book.values()) === totalRaw
  const balances = isWhole ? book : await readBalances(query)
  return await sharesOf(query, balances, { totalRaw, isSupply: true, isWhole })
}

type Shares = {
  totalRaw: bigint
  /** False if shares are parts of the positions' value. */
  isSupply: boolean
  /** True if the balances include every holder. @default true */
  isWhole?: boolean | undefined
}

/**
 * Ranks the holders of shares and sums those that are burnt, locked, or owned by owner and creator.
 */
export async function sharesOf(
  query: Omit<LpQuery, 'transfers'>,
  balances: ReadonlyMap<string, bigint>,
  { totalRaw, isSupply, isWhole = true }: Shares,
): Promise<LpFacts> {
  const { state, profile, pair, holdersMax } = query
  const all = [...balances]
    .filter(([, amount]) => amount > 0n)
    .sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0))
  const top = all.slice(0, holdersMax)
  const codes = await state.code(top.map(([address]) => address))
  const holders = top.map(([address, amountRaw], i): LpHolder => {
    const kind = kindOf(query, address, codes[i]!)
    return { address, amountRaw, kind }
  })
  const makers = makersOf(query)
  const shareOfAll = (addresses: readonly string[]) => sumAt(balances, addresses, isWhole)
  return {
    pair,
    totalRaw,
    isSupply,
    decimals: lpDecimals,
    holders,
    holderCount: isWhole ? all.length : null,
    burntRaw: shareOfAll(profile.burnAddresses),
    lockedRaw: shareOfAll(profile.lockers),
    makerRaw: makers.length === 0 ? null : shareOfAll(makers),
  }
}

/** Owner and creator, if they are known and able to withdraw. */
function makersOf({
  profile,
  owner,
  creator,
}: Pick<LpQuery, 'profile' | 'owner' | 'creator'>): string[] {
  const tied = [...profile.burnAddresses, ...profile.lockers]
  return [...new Set([owner, creator])].filter(
    (address) => address !== null && !tied.includes(address),
  ) as string[]
}

/** Null if one of the balances is unknown. */
function sumAt(
  balances: ReadonlyMap<string, bigint>,
  addresses: readonly string[],
  isWhole: boolean,
): bigint | null {
  if (!isWhole && addresses.some((address) => !balances.has(address))) return null
  return sumOf(addresses.map((address) => balances.get(address) ?? 0n))
}

function kindOf(
  query: Omit<LpQuery, 'transfers'>,
  address: string,
  code: string,
): LpHolder['kind'] {
  const { profile } = query
  if (profile.burnAddresses.includes(address)) return 'burn'
  if (profile.lockers.includes(address)) return 'lock'
  if (makersOf(query).includes(address)) return 'creator'
  return code === '0x' ? 'wallet' : 'contract'
}

/**
 * Balances of burn addresses, lockers, owner, creator and the pair. Leaves out those that the node
 * does not return.
 */
async function readBalances(query: LpQuery): Promise<Map<string, bigint>> {
  const { state, profile, pair } = query
  const asked = [
    ...new Set([...profile.burnAddresses, ...profile.lockers, ...makersOf(query), pair]),
  ]
  const answers = await state.call(asked.map((owner) => ({ to: pair, data: balanceOfData(owner) })))
  const balances = new Map<string, bigint>()
  for (const [at, answer] of answers.entries()) {
    const balance = answer.type === 'answered' ? uintOfWord(answer.data) : null
    if (balance !== null) balances.set(asked[at]!, balance)
  }
  return balances
}

/**
 * Sums transfers to balances. A transfer from the zero address to itself is the share that a pair
 * locks at its first mint.
 */
export function sumTransfers(logs: readonly FoundLog[], zero: string): Map<string, bigint> {
  const balances = new Map<string, bigint>()
  const change = (address: string, amount: bigint) =>
    balances.set(address, (balances.get(address) ?? 0n) + amount)
  for (const { topics, data } of logs) {
    const from = anyAddressOfWord(topics[1] ?? '')
    const to = anyAddressOfWord(topics[2] ?? '')
    const amount = uintOfWord(data)
    if (from === null || to === null || amount === null) continue
    if (addressOfWord(topics[1]!) !== null) change(from, -amount)
    if (to !== zero || from === zero) change(to, amount)
  }
  return balances
}

function sumOf(amounts: Iterable<bigint>): bigint {
  let sum = 0n
  for (const amount of amounts) sum += amount
  return sum
}
