import type {
  DecodedEvent,
  DecodedLiquidity,
  DecodedSwap,
  DecodedSync,
  PoolReference,
  PoolState,
} from '../../../model/decodedBlock.ts'
import type { EvmBlock, EvmLog } from '../../../model/evm/evmBlock.ts'
import type { AddressTexts } from './addressTexts.ts'
import { type Order, ownersOfSwaps } from './batchOrders.ts'
import type { PoolIds } from './poolIds.ts'

/**
 * Input that decoding skipped or replaced. Totals: the caller keeps one object as long as it likes.
 */
export type DecodeCounts = {
  /** Logs with a known topic and content that the event cannot have. They are skipped. */
  malformed: number
  /**
   * Events of transactions whose signer the block does not name; the event's own sender is used.
   */
  unknownSenders: number
  /** Events of pairs that changed no reserves and moved no tokens. They are dropped. */
  spoofed: number
}

type DecodeOptions = {
  /** Incremented while decoding. */
  counts: DecodeCounts
  poolIds: PoolIds
  addresses: AddressTexts
  /** Contracts whose Deposit and Withdrawal move balances. Null accepts any contract. */
  wrappedTokens: ReadonlySet<string> | null
  /** Accepts filled orders from any contract, if tokens of their owners moved. */
  isAnyReactor: boolean
}

/** Deposit(address,uint256) and Withdrawal(address,uint256) of WETH9. */
const wrappingTopics = [
  '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
  '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65',
]

type Amounts = { amount0: bigint; amount1: bigint }

/** Collects the events of one block, and the facts that logs of one transaction share. */
export class BlockScope {
  readonly options: DecodeOptions
  /** Venues that the current log may belong to; added to every pushed event. */
  venues: readonly string[] = []
  readonly addresses: AddressTexts
  readonly #senders: EvmBlock['senders']
  readonly #logs: readonly EvmLog[]
  /** Index of the current log in the block. */
  #at = 0
  readonly #events: DecodedEvent[] = []
  /**
   * Pushed events that no longer count: syncs that became part of another event, and spoofed
   * events.
   */
  readonly #absorbed = new Set<DecodedEvent>()

  #txHash = ''
  #signer: string | undefined
  /** The trader of the transaction: its signer, or the owner of the order it executes. */
  #wallet: string | undefined
  /**
   * Owner of all trades of the transaction; null if it executes several owners' orders and the
   * trades cannot be attributed.
   */
  #orderOwner: string | null | undefined
  /** Orders that the transaction executed. */
  #orders: Order[] = []
  /** Index of the transaction's first event, or of the first after its last operation. */
  #txStart = 0
  #operationStart = 0
  /** The newest sync that no event took. The next log nearly always takes it. */
  #syncNewest: DecodedSync | null = null
  /** Older syncs that no event took, the newest of each pool. */
  readonly #syncsOpen = new Map<string, DecodedSync>()
  /** Events without a sync before them, by pool. */
  readonly #awaitingSync = new Map<string, (DecodedSwap | DecodedLiquidity)[]>()
  /** Amounts burnt and not collected yet, by position. */
  readonly #burnt = new Map<string, Amounts>()

  constructor(block: EvmBlock, options: DecodeOptions) {
    this.#senders = block.senders
    this.#logs = block.logs
    this.options = options
    this.addresses = options.addresses
  }

  /** Must be called before each log, in order, with its index in the block. */
  enter(log: EvmLog, at: number): void {
    this.#at = at
    if (log.transactionHash === this.#txHash) return
    this.#endTransaction()
    this.#txHash = log.transactionHash
    this.#signer = this.#senders.get(log.transactionHash)
    this.#wallet = this.#signer
    this.#orderOwner = undefined
    this.#txStart = this.#events.length
    this.#operationStart = this.#txStart
    this.#syncNewest = null
    if (this.#syncsOpen.size > 0) this.#syncsOpen.clear()
    if (this.#burnt.size > 0) this.#burnt.clear()
  }

  /**
   * All logs of the current transaction, including later ones. Collected at each call: few events
   * need them.
   */
  transactionLogs(): EvmLog[] {
    let start = this.#at
    let end = this.#at + 1
    while (this.#logs[start - 1]?.transactionHash === this.#txHash) start--
    while (this.#logs[end]?.transactionHash === this.#txHash) end++
    return this.#logs.slice(start, end)
  }

  /** The trader of the current transaction; `sender` if the block does not name a signer. */
  walletOr(sender: string): string {
    if (this.#wallet !== undefined) return this.#wallet
    this.options.counts.unknownSenders++
    return sender
  }

  /** The transaction executes this order. */
  noteOrder(order: Order): void {
    const { owner, isDoubtful = false } = order
    this.#orders.push(order)
    if (isDoubtful || this.#orderOwner === owner || this.#orderOwner === null) return
    const before = this.#wallet
    this.#orderOwner = this.#orderOwner === undefined ? owner : null
    this.#wallet = this.#orderOwner ?? this.#signer
    this.#attribute(this.#txStart, before, this.#wallet)
  }

  /** A smart account's operation ends here. */
  endOperation(account: string): void {
    this.#attribute(this.#operationStart, this.#signer, account)
    this.#operationStart = this.#events.length
  }

  #endTransaction(): void {
    if (this.#awaitingSync.size > 0) this.#dropSpoofed()
    this.#endOrders()
  }

  /**
   * Drops events without a sync whose pair moved no token but its own shares: any contract can emit
   * them. A transaction without any transfer proves nothing: its logs may have been read without
   * them.
   */
  #dropSpoofed(): void {
    const holders = new Set<string>()
    let hasTransfers = false
    for (let i = this.#txStart; i < this.#events.length; i++) {
      const event = this.#events[i]!
      if (event.type !== 'transfer') continue
      hasTransfers = true
      if (event.from !== event.token) holders.add(event.from)
      if (event.to !== event.token) holders.add(event.to)
    }
    for (const [pool, awaiting] of this.#awaitingSync) {
      if (!hasTransfers || holders.has(pool)) continue
      for (const event of awaiting) this.#absorbed.add(event)
      this.options.counts.spoofed += awaiting.length
    }
    this.#awaitingSync.clear()
  }

  /**
   * Attributes trades to several order owners by the transfers, which are complete at the end of
   * the transaction.
   */
  #endOrders(): void {
    if (this.#orders.length === 0) return
    const isOpen = this.#orderOwner === null || this.#orders.some((order) => order.isDoubtful)
    if (isOpen && this.#signer !== undefined) {
      const pushed = this.#events.slice(this.#txStart)
      const events = pushed.filter((event) => !this.#absorbed.has(event))
      for (const [swap, owner] of ownersOfSwaps(events, this.#orders, this.#wrappedTokens()))
        if (swap.wallet === this.#signer) swap.wallet = owner
    }
    this.#orders = []
  }

  /** Wrapped native tokens of the current transaction. */
  #wrappedTokens(): ReadonlySet<string> {
    if (this.options.wrappedTokens !== null) return this.options.wrappedTokens
    const isWrapping = ({ topics, transactionHash }: EvmLog) =>
      transactionHash === this.#txHash && wrappingTopics.includes(topics[0] ?? '')
    return new Set(this.#logs.filter(isWrapping).map(({ address }) => address))
  }

  #attribute(start: number, before: string | undefined, wallet: string | undefined): void {
    if (before === undefined || wallet === undefined) return
    for (let i = start; i < this.#events.length; i++) {
      const event = this.#events[i]!
      if ('wallet' in event && event.wallet === before) event.wallet = wallet
    }
  }

  push(event: DecodedEvent): void {
    this.#events.push(event)
  }

  /**
   * Pushes an event whose pool reports its state in a sync, just before the event or, in some
   * venues, after it.
   */
  pushWithSync(event: DecodedSwap | DecodedLiquidity): void {
    const sync = this.#takeSync(event)
    if (sync !== null) {
      copyState(event, sync)
    } else {
      const awaiting = this.#awaitingSync.get(event.pool)
      if (awaiting === undefined) this.#awaitingSync.set(event.pool, [event])
      else awaiting.push(event)
    }
    this.#events.push(event)
  }

  /** Did the pool emit an event in this transaction without a sync before it? */
  awaitsSync(pool: string): boolean {
    return this.#awaitingSync.has(pool)
  }

  /** Adds the state to the event beside it. Without one, the sync becomes an event of its own. */
  pushSync(sync: DecodedSync): void {
    if (this.#awaitingSync.size > 0) {
      const awaiting = this.#awaitingSync.get(sync.pool)
      if (awaiting?.every((event) => shared(event.venues, sync.venues) !== null)) {
        for (const event of awaiting) copyState(event, sync)
        this.#awaitingSync.delete(sync.pool)
        return
      }
    }
    if (this.#syncNewest !== null) this.#syncsOpen.set(this.#syncNewest.pool, this.#syncNewest)
    this.#syncNewest = sync
    this.#events.push(sync)
  }

  addBurnt(position: string, amount0: bigint, amount1: bigint): void {
    const burnt = this.#burnt.get(position)
    if (burnt === undefined) {
      this.#burnt.set(position, { amount0, amount1 })
      return
    }
    burnt.amount0 += amount0
    burnt.amount1 += amount1
  }

  /**
   * The part of a collected amount that the same position did not burn before in this transaction.
   */
  takeBurnt(position: string, amount0: bigint, amount1: bigint): Amounts {
    const burnt = this.#burnt.get(position)
    if (burnt === undefined) return { amount0, amount1 }
    const paid0 = amount0 < burnt.amount0 ? amount0 : burnt.amount0
    const paid1 = amount1 < burnt.amount1 ? amount1 : burnt.amount1
    burnt.amount0 -= paid0
    burnt.amount1 -= paid1
    return { amount0: amount0 - paid0, amount1: amount1 - paid1 }
  }

  /** All decoded events, in log order. */
  events(): readonly DecodedEvent[] {
    this.#endTransaction()
    if (this.#absorbed.size === 0) return this.#events
    return this.#events.filter((event) => !this.#absorbed.has(event))
  }

  /** Null if there is no sync, or it belongs to another venue. */
  #takeSync({ pool, venues }: DecodedSwap | DecodedLiquidity): DecodedSync | null {
    let sync: DecodedSync | undefined
    const newest = this.#syncNewest
    if (newest !== null && newest.pool === pool) {
      if (shared(venues, newest.venues) === null) return null
      sync = newest
      this.#syncNewest = null
      // An older sync of the same pool is not the state after a later event.
      if (this.#syncsOpen.size > 0) this.#syncsOpen.delete(pool)
    } else if (this.#syncsOpen.size > 0) {
      sync = this.#syncsOpen.get(pool)
      if (sync && shared(venues, sync.venues) === null) return null
      this.#syncsOpen.delete(pool)
    }
    if (sync === undefined) return null
    if (this.#events.at(-1) === sync) this.#events.pop()
    else this.#absorbed.add(sync)
    return sync
  }
}

type Venues = readonly string[] | undefined
const sharedLists = new WeakMap<readonly string[], WeakMap<readonly string[], readonly string[]>>()

/**
 * Venues in both lists; null if there are none. Returns the same list for the same two, so that
 * blocks allocate none.
 */
function shared(one: Venues, other: Venues): Venues | null {
  if (one === other || other === undefined) return one
  if (one === undefined) return other
  const known = sharedLists.get(one)?.get(other)
  const list = known ?? one.filter((name) => other.includes(name))
  if (known === undefined) {
    const lists = sharedLists.get(one) ?? new WeakMap()
    sharedLists.set(one, lists.set(other, list))
  }
  return list.length === 0 ? null : list
}

function copyState(to: PoolReference & PoolState, from: PoolReference & PoolState): void {
  if (to.venues !== from.venues) to.venues = shared(to.venues, from.venues) ?? undefined
  to.reserve0 = from.reserve0
  to.reserve1 = from.reserve1
  to.priceRaw = from.priceRaw
  if (from.told !== undefined) to.told = from.told
}

/**
 * Adds the log's events to the scope. Returns false if the log's content does not match its topic;
 * then it adds nothing.
 */
export type LogDecoder = (log: EvmLog, scope: BlockScope) => boolean

/** The events of one venue, or of tokens, by topic0. */
export type LogDecoders = Readonly<Record<string, LogDecoder>>
