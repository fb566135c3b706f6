import type { DecodedEvent } from '../../../model/decodedBlock.ts'
import type { SolanaTransaction } from '../../../model/solana/solanaTransaction.ts'
import { Call, setCallEnds } from './call.ts'
import { areLogsTruncated, type LoggedEvent, readProgramLogs } from './programLogs.ts'
import {
  accountOpenedBy,
  isTokenProgram,
  mintedBy,
  systemProgram,
  type TokenChange,
  type TokenMove,
  token2022Program,
  tokenCallsOf,
  tokenChangeOf,
  tokenMoveOf,
} from './tokenMoves.ts'
import { changeOf, findWithheldFees } from './withheldFees.ts'

/** Tag of the instruction by which a program calls itself to emit an event. */
const selfCallTag = 'e445a52e51cb9a1d'
const tagBytes = 8

// Helper programs for fees, metadata, vaults and prices: programs that trade call them.
const servants: ReadonlySet<string> = new Set([
  systemProgram,
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ',
  '24Uqj9JCLxUeoC3hGfh5W3s9FM9uCHDS2SG3LYwBpyTi',
  'ojh19ojaKduoJZuaJADhcVGp4xt1TcdAvZmpVsCorch',
  'HEvSKofvBgfaexv23kMabbYqxasxU3mQ4ibBMEmJWHny',
])

/**
 * Is it a program's call of itself? Such a call has exactly one account, its signing address. The
 * check avoids decoding its long data.
 */
export function isSelfCall({ accounts, height }: Call): boolean {
  return height > 1 && accounts.length === 1
}

const starts = new Map<string, string>()

/** Common start, in base64, of all events with a tag: six bytes as eight characters. */
function startOf(tag: string): string {
  let start = starts.get(tag)
  if (start === undefined) {
    start = Buffer.from(tag, 'hex').toString('base64').slice(0, 8)
    starts.set(tag, start)
  }
  return start
}

/**
 * The next event's index in a block. Balances precede their event and have no index of their own.
 */
export function nextIndexOf(events: readonly DecodedEvent[]): number {
  const last = events.at(-1)
  if (last === undefined) return 0
  return last.type === 'balance' ? last.index : last.index + 1
}

type Opened<event> = event extends unknown ? Omit<event, 'index' | 'txHash'> : never

/** Everything that decoders ask of one transaction; most of it is computed on demand. */
export class TransactionScope {
  readonly transaction: SolanaTransaction
  readonly calls: readonly Call[]
  /** Venue of the instruction being decoded. */
  venues: readonly string[] = []
  readonly #events: DecodedEvent[]
  #logged: readonly LoggedEvent[] | null = null
  #tokenCalls: readonly Call[] | null = null
  #moves: readonly TokenMove[] | null = null
  #mints: Map<number, string> | null = null
  #changes: readonly TokenChange[] | null = null
  #withheld: ReadonlyMap<TokenChange, bigint> | null = null

  /** Appends to `events`, continuing their numbers. */
  constructor(transaction: SolanaTransaction, events: DecodedEvent[]) {
    this.transaction = transaction
    this.#events = events
    const { keys, instructions } = transaction
    this.calls = instructions.map(
      (instruction, index) => new Call(index, keys.at(instruction.program) ?? '', instruction),
    )
    if (this.calls.some(({ height }) => height === 0)) this.#findHeights()
    setCallEnds(this.calls)
  }

  push(event: Opened<DecodedEvent>): void {
    const place = { index: nextIndexOf(this.#events), txHash: this.transaction.signature }
    this.#events.push({ ...event, ...place } as DecodedEvent)
  }

  /** Pushes an event with the number of the one before: the same instruction causes both. */
  pushBeside(event: Opened<DecodedEvent>): void {
    const index = this.#events.at(-1)?.index ?? 0
    this.#events.push({ ...event, index, txHash: this.transaction.signature } as DecodedEvent)
  }

  /** Empty if there is no such account. */
  key(account: number): string {
    return account < 0 ? '' : (this.transaction.keys.at(account) ?? '')
  }

  isSigner(account: number): boolean {
    return account >= 0 && account < this.transaction.signerCount
  }

  /** Null if the transaction itself called it. */
  callerOf({ index, height }: Call): Call | null {
    return this.calls.findLast((call) => call.index < index && call.height === height - 1) ?? null
  }

  /** Calls inside of a call, at any depth. */
  callsIn({ index, end }: Call): readonly Call[] {
    return this.calls.slice(index + 1, end)
  }

  /** All token transfers of the transaction, in order. */
  moves(): readonly TokenMove[] {
    this.#moves ??= this.#callsOfTokens().flatMap((call) => tokenMoveOf(call) ?? [])
    return this.#moves
  }

  /** Transfers inside of a call, at any depth. */
  movesIn({ index, end }: Call): readonly TokenMove[] {
    return this.moves().filter((move) => move.call > index && move.call < end)
  }

  /** Transfers that a call made directly, without those of programs it called. */
  ownMovesIn(call: Call): readonly TokenMove[] {
    return this.movesIn(call).filter((move) => this.calls[move.call]!.height === call.height + 1)
  }

  /** The first account of a call that signed the transaction, else the fee payer. */
  signerOf(call: Call): number {
    return call.accounts.find((account) => this.isSigner(account)) ?? 0
  }

  /** Null if nothing in the transaction shows the account's mint. */
  mintOf(account: number): string | null {
    const known = this.transaction.tokenAccounts.get(account)
    if (known !== undefined) return known.mint
    this.#mints ??= this.#findMints()
    return this.#mints.get(account) ?? null
  }

  ownerOf(account: number): string | null {
    return this.transaction.tokenAccounts.get(account)?.owner ?? null
  }

  /** Balance of a token account at the end of a call; null if the node did not return it. */
  balanceAfter(account: number, { end }: Call): bigint | null {
    const after = this.transaction.tokenAccounts.get(account)?.after ?? null
    if (after === null) return null
    let balance = after
    this.#changes ??= this.#callsOfTokens().flatMap((call) => tokenChangeOf(call) ?? [])
    for (const change of this.#changes) {
      if (change.call < end) continue
      balance -= changeOf(change, account)
      if (change.to === account) balance += this.#withheldOf(change)
    }
    return balance
  }

  /**
   * The event that a call emitted with one of these tags, tag included; earlier tags are preferred.
   * From the logs, or from the program's call of itself if logs have none: programs that emit an
   * event to both are read once.
   */
  eventOf(call: Call, ...tags: readonly string[]): Buffer | null {
    for (const tag of tags) {
      const found = this.#loggedBy(call, tag)[0] ?? this.#toldToItself(call, tag)[0]
      if (found !== undefined) return found
    }
    return null
  }

  /**
   * All events that a call emitted with a tag; if logs were cut, its calls of itself may have more.
   * `bytesMax` bounds the length of such an event, so that longer data need not be decoded.
   * @default no bound
   */
  eventsOf(call: Call, tag: string, bytesMax?: number): Buffer[] {
    const logged = this.#loggedBy(call, tag)
    if (logged.length > 0 && !areLogsTruncated(this.transaction.logs ?? [])) return logged
    const told = this.#toldToItself(call, tag, bytesMax)
    return told.length > logged.length ? told : logged
  }

  #loggedBy(call: Call, tag: string): Buffer[] {
    const logged: Buffer[] = []
    const start = startOf(tag)
    for (const event of this.#eventsLogged()) {
      if (event.call !== call.index || event.isRayLog || !event.text.startsWith(start)) continue
      const bytes = Buffer.from(event.text, 'base64')
      if (bytes.length >= tagBytes && bytes.toString('hex', 0, tagBytes) === tag) logged.push(bytes)
    }
    return logged
  }

  /** Log of Raydium's first AMM in a call; null if none exists or the logs were cut. */
  rayLogOf(call: Call): Buffer | null {
    for (const event of this.#eventsLogged())
      if (event.isRayLog && event.call === call.index) return Buffer.from(event.text, 'base64')
    return null
  }

  #toldToItself(call: Call, tag: string, bytesMax = Number.POSITIVE_INFINITY): Buffer[] {
    const told: Buffer[] = []
    for (let at = call.index + 1; at < call.end; at++) {
      const inner = this.calls[at]!
      if (inner.program !== call.program || inner.height !== call.height + 1) continue
      // Such a call has only the program's own signing address as account.
      if (inner.accounts.length !== 1 || inner.isLongerThan(bytesMax + tagBytes)) continue
      if (inner.data.length < 2 * tagBytes) continue
      if (inner.data.toString('hex', 0, 2 * tagBytes) === selfCallTag + tag)
        told.push(inner.data.subarray(tagBytes))
    }
    return told
  }

  #eventsLogged(): readonly LoggedEvent[] {
    this.#logged ??= readProgramLogs(this.transaction.logs ?? [], this.calls)
    return this.#logged
  }

  /**
   * Reads heights from the logs. Without them, helper programs and calls of itself count as called
   * by the instruction before.
   */
  #findHeights(): void {
    this.#eventsLogged()
    let caller: Call | undefined
    for (const call of this.calls) {
      const isTold = call.accounts.length === 1 && call.program === caller?.program
      const isLeaf = isTold || isTokenProgram(call.program) || servants.has(call.program)
      if (call.height === 0) call.height = isLeaf ? (caller?.height ?? 1) + 1 : 2
      if (!isLeaf) caller = call
    }
  }

  /** Calls of the token programs, with the parts of a batch one by one. */
  #callsOfTokens(): readonly Call[] {
    this.#tokenCalls ??= this.calls.flatMap((call) =>
      isTokenProgram(call.program) ? tokenCallsOf(call) : [],
    )
    return this.#tokenCalls
  }

  /** Fee withheld of a transfer that does not state it. */
  #withheldOf(change: TokenChange): bigint {
    if (change.program !== token2022Program) return 0n
    this.#withheld ??= findWithheldFees(this.#changes!, this.transaction.tokenAccounts)
    return this.#withheld.get(change) ?? 0n
  }

  #findMints(): Map<number, string> {
    const mints = new Map<number, string>()
    for (const call of this.#callsOfTokens()) {
      const opened = accountOpenedBy(call) ?? mintedBy(call)
      if (opened !== null) mints.set(opened.account, this.key(opened.mint))
      const move = tokenMoveOf(call)
      if (move === null || move.mint < 0) continue
      mints.set(move.from, this.key(move.mint))
      mints.set(move.to, this.key(move.mint))
    }
    return mints
  }
}
