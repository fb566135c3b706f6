/** Sums of a token's transfers over a range of blocks. */
export type TransferSums = {
  /** Balance by wallet, without the zero address. */
  balances: Map<string, bigint>
  voided: bigint
  logCount: number
  /** Block of the first transfer; null if unknown. No transfer is older. */
  firstBlock: number | null
  /**
   * Balances are as of this block, which may be later than the requested one. @default the
   * requested block
   */
  asOf?: number | undefined
}

/** Progress of a transfer scan; a failed scan resumes from here. */
export type TransferScanProgress = {
  /** First block that is not counted yet; null before the first read. */
  next: number | null
  sums: TransferSums
  /** Number of requests in a row that failed. */
  refusals: number
}

export function createScanProgress(): TransferScanProgress {
  return {
    next: null,
    sums: { balances: new Map(), voided: 0n, logCount: 0, firstBlock: null },
    refusals: 0,
  }
}

/** Adds one transfer. Null stands for the zero address. */
export function addTransfer(
  sums: TransferSums,
  from: string | null,
  to: string | null,
  amount: bigint,
): void {
  const { balances } = sums
  if (from !== null) balances.set(from, (balances.get(from) ?? 0n) - amount)
  if (to !== null) balances.set(to, (balances.get(to) ?? 0n) + amount)
  else sums.voided += amount
}
