import type { Rpc } from '../../../chain/rpc/rpc.ts'
import { readAccounts } from '../../../chain/solana/accounts.ts'
import type { RiskLimits } from '../../riskChecker.ts'
import type { HolderSells } from '../../riskReport.ts'
import type { RiskPool, RiskSubject } from '../../riskSubject.ts'
import { ammV4Sale } from './ammV4Sale.ts'
import { cpmmSale } from './cpmmSale.ts'
import { pumpFunSale } from './pumpFunSale.ts'
import { pumpSwapSale } from './pumpSwapSale.ts'
import {
  associatedAccountOf,
  legacyTransaction,
  openAssociated,
  type SellRoute,
  type SellVenue,
} from './saleTransaction.ts'
import { whirlpoolSale } from './whirlpoolSale.ts'

const venues: ReadonlyMap<string, SellVenue> = new Map([
  ['raydiumAmmV4', ammV4Sale],
  ['raydiumCpmm', cpmmSale],
  ['orcaWhirlpool', whirlpoolSale],
  ['pumpSwap', pumpSwapSale],
  ['pumpFun', pumpFunSale],
])

type SellsQuery = {
  rpc: Pick<Rpc, 'requestBatch'>
  subject: Pick<RiskSubject, 'address' | 'pools' | 'holders'>
  /** The program that owns the token's mint. */
  tokenProgram: string
  /** Creator and authorities: their ability to sell proves nothing about others. */
  makers: readonly string[]
  limits: Pick<RiskLimits, 'sellersMax' | 'poolsMax'>
  signal: AbortSignal
}

/** `error` says why no sale was tried; empty if one sold or was refused. */
export type SimulatedSells = { sells: HolderSells | null; error: string }

/**
 * Simulates that known holders sell all they have, each in its own transaction. Sales that fail for
 * another reason than the token do not count.
 */
export async function simulateSells(query: SellsQuery): Promise<SimulatedSells> {
  const { rpc, subject, makers, limits, signal } = query
  const trusted = subject.pools.filter(({ isTrusted }) => isTrusted)
  const pools = trusted.filter(({ venue }) => venues.has(venue)).slice(0, limits.poolsMax)
  if (trusted.length === 0) return failed('there is no trusted pool')
  if (pools.length === 0) return failed('no trusted pool can be tried')
  const owners = subject.holders
    .filter(({ kind, address }) => kind === 'wallet' && !makers.includes(address))
    .slice(0, limits.sellersMax)
    .map(({ address }) => address)
  const sellers = owners.length === 0 ? [] : await readSellers(rpc, subject.address, owners, signal)
  if (sellers.length === 0) return failed('no holder is known who could try to sell')
  let error = ''
  for (const pool of pools) {
    const route = await readRoute(query, pool)
    if (route === null) continue
    const outcomes = await trySales(query, route, sellers)
    const sells = countOf(outcomes)
    if (sells.tried > 0) return { sells, error: '' }
    const isTried = outcomes.some((outcome) => outcome !== 'untried')
    error = isTried ? 'no sale could be tried to its end' : 'the node cannot simulate'
  }
  return failed(error || 'no trusted pool can be tried')
}

const failed = (error: string): SimulatedSells => ({ sells: null, error })

async function readRoute(query: SellsQuery, pool: RiskPool): Promise<SellRoute | null> {
  const { rpc, subject, tokenProgram, signal } = query
  const venue = venues.get(pool.venue)!
  const keys = [pool.address, ...venue.shared, pool.quote.address]
  const accounts = await readAccounts(rpc, keys, { signal })
  const quoteProgram = accounts.at(-1)?.owner
  if (quoteProgram === undefined) return null
  const token = { mint: subject.address, tokenProgram }
  return venue.routeOf({ pool: pool.address, token, accounts, quoteProgram })
}

async function trySales(
  { rpc, tokenProgram, signal }: SellsQuery,
  { quote, sell }: SellRoute,
  sellers: readonly Seller[],
): Promise<SaleOutcome[]> {
  // Simulations skip signature checks. The richest holder pays for all, so no sale fails for lack
  // of lamports.
  const payer = sellers.toSorted((a, b) => b.lamports - a.lamports)[0]!.owner
  const config = {
    encoding: 'base64',
    commitment: 'confirmed',
    sigVerify: false,
    replaceRecentBlockhash: true,
  }
  const calls = sellers.map(({ owner, account, amount }) => {
    const paid = quote && { owner, ...quote }
    const target = paid === null ? owner : associatedAccountOf(paid)
    const opening = paid === null ? [] : [openAssociated(payer, paid)]
    const sale = sell({ seller: owner, source: account, target, amount })
    const bytes = legacyTransaction(payer, [...opening, sale])
    return { method: 'simulateTransaction', params: [bytes.toString('base64'), config] }
  })
  const answers = await rpc.requestBatch(calls, { signal })
  return answers.map((answer) => (answer.ok ? saleOutcome(answer.value, tokenProgram) : 'untried'))
}

function countOf(outcomes: readonly SaleOutcome[]): HolderSells {
  const count = (wanted: SaleOutcome) => outcomes.filter((outcome) => outcome === wanted).length
  const [sold, refused] = [count('sold'), count('refused')]
  return { tried: sold + refused, sold, failed: refused, unclear: count('unclear'), taxes: [] }
}

/** A holder and its largest account of the token. */
type Seller = { owner: string; account: string; amount: bigint; lamports: number }

const amountAt = 64
const accountBytesMin = 165

/** The owners that hold some of the token; none if nodes do not answer. */
async function readSellers(
  rpc: Pick<Rpc, 'requestBatch'>,
  mint: string,
  owners: readonly string[],
  signal: AbortSignal,
): Promise<Seller[]> {
  const config = { encoding: 'base64', commitment: 'confirmed' }
  const calls = owners.map((owner) => ({
    method: 'getTokenAccountsByOwner',
    params: [owner, { mint }, config],
  }))
  const answers = await rpc.requestBatch(calls, { signal })
  const wallets = await readAccounts(rpc, owners, { signal })
  return owners.flatMap((owner, at) => {
    const answer = answers[at]!
    const largest = answer.ok ? largestOf(answer.value) : null
    return largest === null ? [] : [{ owner, ...largest, lamports: wallets[at]?.lamports ?? 0 }]
  })
}

function largestOf(answer: unknown): { account: string; amount: bigint } | null {
  const { value } = (answer ?? {}) as { value?: unknown }
  let largest: { account: string; amount: bigint } | null = null
  for (const listed of Array.isArray(value) ? value : []) {
    const { pubkey, account } = (listed ?? {}) as { pubkey?: unknown; account?: { data?: unknown } }
    const bytes = Array.isArray(account?.data) ? String(account.data[0]) : ''
    const data = Buffer.from(bytes, 'base64')
    if (typeof pubkey !== 'string' || data.length < accountBytesMin) continue
    const amount = data.readBigUInt64LE(amountAt)
    if (amount > (largest?.amount ?? 0n)) largest = { account: pubkey, amount }
  }
  return largest
}

/**
 * Outcome of a simulated sale. `refused`: the token blocked it. `unclear`: something else did,
 * which proves nothing. `untried`: the node did not run it.
 */
type SaleOutcome = 'sold' | 'refused' | 'unclear' | 'untried'

// Errors of the token programs that only the token causes: the account is frozen, the token is
// non-transferable, or its transfers are paused.
const refusals: ReadonlySet<number> = new Set([17, 37, 67])

const invokedLine = /^Program (\w+) invoke \[\d+\]$/
const succeededLine = /^Program (\w+) success$/
const failedLine = /^Program (\w+) failed: (.*)$/
const customError = /custom program error: 0x([0-9a-f]+)/

/** Reads the answer of simulateTransaction. `tokenProgram` owns the token's mint. */
export function saleOutcome(answer: unknown, tokenProgram: string): SaleOutcome {
  const { value } = (answer ?? {}) as { value?: unknown }
  if (typeof value !== 'object' || value === null || !('err' in value)) return 'untried'
  const { err, logs } = value as { err: unknown; logs?: unknown }
  if (err === null) return 'sold'
  const lines = Array.isArray(logs) ? logs.map(String) : []
  return isRefusal(lines, tokenProgram) ? 'refused' : 'unclear'
}

/** The first program that fails is the cause: its callers fail with it. */
function isRefusal(lines: readonly string[], tokenProgram: string): boolean {
  const running: string[] = []
  for (const line of lines) {
    const begun = invokedLine.exec(line)
    if (begun) running.push(begun[1]!)
    if (succeededLine.test(line)) running.pop()
    const end = failedLine.exec(line)
    if (end === null) continue
    const [, program, reason] = end as unknown as [string, string, string]
    // A transfer hook of the token.
    if (program !== tokenProgram) return running.slice(0, -1).includes(tokenProgram)
    const code = customError.exec(reason)?.[1]
    return code !== undefined && refusals.has(Number.parseInt(code, 16))
  }
  return false
}
