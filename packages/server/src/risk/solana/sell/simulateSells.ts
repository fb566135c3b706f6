import type { Rpc } from '../../../chain/rpc/rpc.ts'
import { readAccounts } from '../../../chain/solana/readAccounts.ts'
import type { RiskLimits } from '../../riskLimits.ts'
import type { HolderSells } from '../../riskReport.ts'
import type { RiskPool, RiskSubject } from '../../riskSubject.ts'
import { ammV4Sale } from './ammV4Sale.ts'
import { associatedAccountOf, openAssociated } from './associatedAccount.ts'
import { cpmmSale } from './cpmmSale.ts'
import { legacyTransaction } from './legacyTransaction.ts'
import { pumpFunSale } from './pumpFunSale.ts'
import { pumpSwapSale } from './pumpSwapSale.ts'
import { type SaleOutcome, saleOutcome } from './saleOutcome.ts'
import { readSellers, type Seller } from './sellers.ts'
import type { SellRoute, SellVenue } from './sellRoute.ts'
import { whirlpoolSale } from './whirlpoolSale.ts'

const venues: ReadonlyMap<string, SellVenue> = new Map([
  ['raydiumAmmV4', ammV4Sale],
  ['raydiumCpmm', cpmmSale],
  ['orcaWhirlpool', whirlpoolSale],
  ['pumpSwap', pumpSwapSale],
  ['pumpFun', pumpFunSale],
])

export type SellsQuery = {
  rpc: Pick<Rpc, 'requestBatch'>
  subject: Pick<RiskSubject, 'address' | 'pools' | 'holders'>
  /** The program that keeps the token's mint. */
  tokenProgram: string
  /** Whoever made the token or rules it: that they can sell says nothing of others. */
  makers: readonly string[]
  limits: Pick<RiskLimits, 'sellersMax' | 'poolsMax'>
  signal: AbortSignal
}

/** `error`: why nobody could try; empty where somebody sold or was refused. */
export type SimulatedSells = { sells: HolderSells | null; error: string }

/**
 * Known holders sell all that they have, each in a transaction that a node only tries. Where it cannot be told whether the
 * token or something else was in the way, nothing is said.
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
  // Nobody checks who signed: whoever has most pays for all, so that no sale fails for want of coins.
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
