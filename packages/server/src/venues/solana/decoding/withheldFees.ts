import type { SolanaTransaction } from '../../../model/solana/solanaTransaction.ts'
import { type TokenChange, token2022Program } from './tokenMoves.ts'

/**
 * Fees that mints withheld of transfers that do not state them, by transfer. A Token-2022 mint with
 * a tax withholds of every transfer. The balances before and after show how much an account did not
 * get.
 */
export function findWithheldFees(
  changes: readonly TokenChange[],
  accounts: SolanaTransaction['tokenAccounts'],
): ReadonlyMap<TokenChange, bigint> {
  const withheld = new Map<TokenChange, bigint>()
  for (const [account, transfers] of transfersByTarget(changes)) {
    const known = accounts.get(account)
    if (known === undefined || known.after === null) continue
    let missing = (known.before ?? 0n) - known.after
    for (const change of changes) missing += changeOf(change, account)
    // More arrived than was sent: fees withheld before are paid out by instructions without an
    // amount.
    if (missing <= 0n) continue
    const amounts = transfers.map(({ amount }) => amount)
    for (const [i, fee] of splitFeesByRate(amounts, missing).entries())
      withheld.set(transfers[i]!, fee)
  }
  return withheld
}

/** Transfers without a stated fee, by receiving account. */
function transfersByTarget(changes: readonly TokenChange[]): ReadonlyMap<number, TokenChange[]> {
  const byTarget = new Map<number, TokenChange[]>()
  for (const change of changes) {
    const { program, from, to, isFeeTold } = change
    // Transfers of an account to itself pay no fee.
    if (program !== token2022Program || isFeeTold || from === to) continue
    const transfers = byTarget.get(to) ?? []
    transfers.push(change)
    byTarget.set(to, transfers)
  }
  return byTarget
}

/** Effect of a change on an account's balance, as far as it is stated. */
export function changeOf({ from, to, amount, fee }: TokenChange, account: number): bigint {
  if (from === to) return 0n
  if (to === account) return amount - fee
  return from === account ? -amount : 0n
}

const wholeBps = 10_000n

/**
 * Splits a known sum of transfer fees over transfers. A mint has one rate at a time and rounds up,
 * and every fee grows with the rate, so rates with the same sum have the same fees. If no rate
 * gives the sum, the mint has a maximum fee: assumes it for all, or else splits by amount.
 */
export function splitFeesByRate(amounts: readonly bigint[], sum: bigint): readonly bigint[] {
  if (amounts.length === 1) return [sum]
  const byRate = feesAt(lowestRate(amounts, sum), amounts)
  if (sumOf(byRate) === sum) return byRate
  const highest = sum / BigInt(amounts.length)
  const isHighest = highest * BigInt(amounts.length) === sum
  if (isHighest && amounts.every((amount) => amount >= highest)) return amounts.map(() => highest)
  return partsOf(amounts, sum)
}

/** The lowest rate whose fees reach the sum. */
function lowestRate(amounts: readonly bigint[], sum: bigint): bigint {
  let [low, high] = [0n, wholeBps]
  while (low < high) {
    const middle = (low + high) / 2n
    if (sumOf(feesAt(middle, amounts)) >= sum) high = middle
    else low = middle + 1n
  }
  return low
}

function feesAt(bps: bigint, amounts: readonly bigint[]): readonly bigint[] {
  return amounts.map((amount) => (amount * bps + wholeBps - 1n) / wholeBps)
}

/** Splits the sum exactly, by amount. */
function partsOf(amounts: readonly bigint[], sum: bigint): readonly bigint[] {
  let [left, rest] = [sum, sumOf(amounts)]
  return amounts.map((amount) => {
    const part = rest === 0n ? 0n : (left * amount) / rest
    left -= part
    rest -= amount
    return part
  })
}

function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n)
}
