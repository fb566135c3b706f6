import { decodeBase58 } from '../../lib/bytes/base58.ts'
import { KeySet } from '../../lib/bytes/keySet.ts'
import type { UnclaimedProgram } from '../../model/unclaimed.ts'
import type { Call } from '../../venues/solana/decoding/call.ts'
import { looksLikeTrade } from '../../venues/solana/decoding/decodeByTransfers.ts'
import {
  isTokenProgram,
  token2022Program,
  tokenProgram,
} from '../../venues/solana/decoding/tokenMoves.ts'
import type { TransactionScope } from '../../venues/solana/decoding/transactionScope.ts'
import type { SolanaVenueSet } from '../../venues/solana/venue.ts'
import type { RelevantKeys } from './readRpcTransaction.ts'

// Anyone can deploy programs: further ones only count in the total.
const programsMax = 1_024
const listedMax = 20

/**
 * Counts calls that exchange one token for another and that no venue decodes, by program: unknown
 * programs, and unknown instructions of known ones. A call that contains such a call or a decoded
 * swap is a router.
 */
export class UnclaimedCalls {
  /** All calls that look like swaps. */
  #calls = 0
  #unclaimed = 0
  readonly #byProgram = new Map<string, number>()
  #transaction: TransactionScope | null = null
  /** Index of the last call of the transaction that is a trade. */
  #lastTrade = -1

  /** Takes the calls of a transaction in the order of their ends. */
  add(call: Call, scope: TransactionScope, isRead: boolean): void {
    if (scope !== this.#transaction) {
      this.#transaction = scope
      this.#lastTrade = -1
    }
    if (isRead) {
      this.#calls++
      this.#lastTrade = Math.max(this.#lastTrade, call.index)
      return
    }
    // Calls inside of this one have ended before.
    if (
      this.#lastTrade > call.index ||
      isTokenProgram(call.program) ||
      !looksLikeTrade(call, scope)
    )
      return
    this.#lastTrade = call.index
    this.#calls++
    this.#unclaimed++
    const known = this.#byProgram.get(call.program)
    if (known !== undefined || this.#byProgram.size < programsMax)
      this.#byProgram.set(call.program, (known ?? 0) + 1)
  }

  /** Returns the number and the share of unclaimed calls, over all programs. */
  total(): { calls: number; share: number } {
    return { calls: this.#unclaimed, share: this.#shareOf(this.#unclaimed) }
  }

  /** Programs with the most calls first. */
  programs(): UnclaimedProgram[] {
    return [...this.#byProgram]
      .sort(([, one], [, other]) => other - one)
      .slice(0, listedMax)
      .map(([program, calls]) => ({ program, calls, share: this.#shareOf(calls) }))
  }

  #shareOf(calls: number): number {
    return this.#calls === 0 ? 0 : calls / this.#calls
  }
}

/** Matches every transaction that may move tokens. */
export function tokenMovingKeys({ routes }: SolanaVenueSet): RelevantKeys {
  const moving = [...routes.keys(), tokenProgram, token2022Program]
  return { keys: new Set(moving), bytes: new KeySet(moving.map((id) => decodeBase58(id)!)) }
}
