/** Sum of a token's transfers over a range of blocks. */
export type HistorySums = {
  /** Without the zero address. */
  balances: Map<string, bigint>
  voided: bigint
  logCount: number
  /** The block of the first of them, where that is told; none is before it. */
  firstBlock: number | null
  /** The balances are those after this block, which may be later than the one that was asked for. @default that one */
  asOf?: number | undefined
}

/** How far a scan has come; one that failed goes on from here. */
export type HistoryProgress = {
  /** First block that is not counted yet; null: nothing was read. */
  next: number | null
  sums: HistorySums
  /** Questions in a row that were not answered. */
  refusals: number
}

export function createHistoryProgress(): HistoryProgress {
  return {
    next: null,
    sums: { balances: new Map(), voided: 0n, logCount: 0, firstBlock: null },
    refusals: 0,
  }
}

/** Adds one transfer; null stands for the zero address. */
export function addTransfer(
  sums: HistorySums,
  from: string | null,
  to: string | null,
  amount: bigint,
): void {
  const { balances } = sums
  if (from !== null) balances.set(from, (balances.get(from) ?? 0n) - amount)
  if (to !== null) balances.set(to, (balances.get(to) ?? 0n) + amount)
  else sums.voided += amount
}
