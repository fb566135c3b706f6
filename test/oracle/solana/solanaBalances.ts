import type { RawBalance, RawTransaction } from './rawBlock.ts'
import { keysOf, type Transfer } from './transactionSteps.ts'

type Account = { mint: string; holder: string; amount: bigint }

/**
 * Balances by wallet, computed from the token balances that blocks report before and after each
 * transaction.
 */
export class SolanaBalances {
  /**
   * Balances by token account, including those of the transfers so far in the current transaction.
   */
  readonly #accounts = new Map<string, Account>()
  readonly #holders = new Map<string, Map<string, bigint>>()
  readonly #sharedOwners: ReadonlySet<string>
  /** Balances that contradict the previous transaction, as sentences. */
  readonly differences: string[] = []

  /**
   * `sharedOwners` own vaults of many pools, so each of their accounts counts as a separate holder.
   */
  constructor(sharedOwners: readonly string[]) {
    this.#sharedOwners = new Set(sharedOwners)
  }

  begin(raw: RawTransaction): void {
    for (const [account, { mint, holder, amount }] of this.#reported(
      raw,
      raw.meta.preTokenBalances,
    )) {
      const known = this.#accounts.get(account)
      if (known !== undefined && known.amount !== amount)
        this.differences.push(
          `Account ${account} had ${known.amount} after a transaction and ${amount} before the next.`,
        )
      this.#set(account, { mint, holder, amount })
    }
  }

  move({ from, to, amount }: Transfer): void {
    for (const [account, change] of [
      [from, -amount],
      [to, amount],
    ] as const) {
      const known = this.#accounts.get(account)
      if (known !== undefined) this.#set(account, { ...known, amount: known.amount + change })
    }
  }

  /** Ends a transaction. Blocks report no balance of an account that the transaction closed. */
  end(raw: RawTransaction): void {
    const reported = new Map(this.#reported(raw, raw.meta.postTokenBalances))
    for (const [account, { mint, holder }] of this.#reported(raw, raw.meta.preTokenBalances))
      if (!reported.has(account)) this.#set(account, { mint, holder, amount: 0n })
    for (const [account, now] of reported) this.#set(account, now)
  }

  /** Null if no block reports the account's balance. */
  amountIn(account: string): bigint | null {
    return this.#accounts.get(account)?.amount ?? null
  }

  balanceOf(mint: string, holder: string): bigint {
    return this.#holders.get(mint)?.get(holder) ?? 0n
  }

  /** Includes wallets that hold nothing now. */
  walletsOf(mint: string): ReadonlyMap<string, bigint> {
    return this.#holders.get(mint) ?? new Map()
  }

  *#reported(
    raw: RawTransaction,
    balances: readonly RawBalance[] | null | undefined,
  ): Generator<[string, Account]> {
    const keys = keysOf(raw)
    for (const { accountIndex, mint, owner = '', uiTokenAmount } of balances ?? []) {
      const account = keys[accountIndex]!
      const holder = this.#sharedOwners.has(owner) ? account : owner
      yield [account, { mint, holder, amount: BigInt(uiTokenAmount.amount) }]
    }
  }

  #set(account: string, next: Account): void {
    const last = this.#accounts.get(account)
    this.#accounts.set(account, next)
    // The owner of an account may change.
    if (last !== undefined) this.#add(last, -last.amount)
    this.#add(next, next.amount)
  }

  #add({ mint, holder }: Account, amount: bigint): void {
    const holders = this.#holders.get(mint) ?? new Map<string, bigint>()
    this.#holders.set(mint, holders)
    holders.set(holder, (holders.get(holder) ?? 0n) + amount)
  }
}
