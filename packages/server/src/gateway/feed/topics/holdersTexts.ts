import { decimalOfRaw } from '../../../lib/decimal.ts'
import { isTotalSupplyKnown, type TokenSupply } from '../../../model/token.ts'
import type { TokenFacts } from '../../chain/pairFacts.ts'
import { holdersResultText, holdersText, topHolderText } from '../../ground/rowTexts.ts'
import { decimalOrZero, ratioOf, unknownMark } from '../../rows/wireNumber.ts'
import { jsonString, markFields, type ResultMark } from '../tradeTexts.ts'

/**
 * A changed balance among the largest holders. Null: the wallet was not, or is no longer, among
 * them.
 */
export type HolderChange = {
  wallet: string
  before: bigint | null
  after: bigint | null
  rank: number | null
}

/** Content of a `holders` push. */
export type HoldersPushContent = {
  supply: TokenSupply
  holdersBefore: number | null
  top: readonly HolderChange[]
  mark: ResultMark
}

export function holdersResult(
  chain: string,
  { address, addressJson, decimals }: TokenFacts,
  { supply, holdersBefore, top, mark }: HoldersPushContent,
): string {
  const changes = top.map((change) => changeText(change, supply, decimals))
  const holders = holdersText({
    chain: JSON.stringify(chain),
    holders: `${supply.holders}`,
    holders_before: `${holdersBefore}`,
    holders_complete: `${supply.isComplete}`,
    token: addressJson,
    top: `[${changes.join()}]`,
    total: decimalOfRaw(supply.total, decimals),
    total_known: unknownMark(isTotalSupplyKnown(supply)),
  })
  const { snapshot, retracted } = markFields(mark)
  return holdersResultText({
    snapshot,
    retracted,
    id: JSON.stringify(`${address}-${chain}`),
    holders,
  })
}

/** Changes between two lists of largest holders. If `before` is null, every holder is a change. */
export function holderChangesOf(
  before: ReadonlyMap<string, bigint> | null,
  now: ReadonlyMap<string, bigint>,
): HolderChange[] {
  const changes: HolderChange[] = []
  let rank = 0
  for (const [wallet, after] of now) {
    rank += 1
    const was = before?.get(wallet) ?? null
    if (was !== after) changes.push({ wallet, before: was, after, rank })
  }
  for (const [wallet, was] of before ?? [])
    if (!now.has(wallet)) changes.push({ wallet, before: was, after: null, rank: null })
  return changes
}

function changeText(
  { wallet, before, after, rank }: HolderChange,
  supply: TokenSupply,
  decimals: number,
): string {
  // The supply may be of a newer block than the balances, so cap the share at 1.
  const ratio = after === null ? null : Math.min(1, ratioOf(after, supply.total))
  return topHolderText({
    address: jsonString(wallet),
    amount: quotedOrNull(after, decimals),
    amount_before: quotedOrNull(before, decimals),
    balance_ratio: ratio === null ? 'null' : `"${decimalOrZero(ratio)}"`,
    balance_ratio_known: unknownMark(ratio === null || isTotalSupplyKnown(supply)),
    rank: `${rank}`,
  })
}

function quotedOrNull(raw: bigint | null, decimals: number): string {
  return raw === null ? 'null' : `"${decimalOfRaw(raw, decimals)}"`
}
