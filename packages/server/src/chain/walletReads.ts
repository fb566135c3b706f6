import { BoundedMap } from '../lib/boundedMap.ts'
import { withinMs } from '../lib/withinMs.ts'
import type {
  HoldingsQuery,
  WalletFacts,
  WalletHoldings,
  WalletReader,
} from '../model/walletFacts.ts'

type WalletReadsLimits = {
  /** Time after which an answer is returned without the unanswered parts. @default 2_000 */
  timeoutMs: number
  /** Maximum age of a cached native balance. @default 10_000 */
  balanceAgeMsMax: number
  /** Maximum age of a cached contract flag, which hardly ever changes. @default 3_600_000 */
  codeAgeMsMax: number
  /** Number of addresses cached. @default 50_000 */
  walletsMax: number
}

const walletReadsLimitDefaults: WalletReadsLimits = {
  timeoutMs: 2_000,
  balanceAgeMsMax: 10_000,
  codeAgeMsMax: 3_600_000,
  walletsMax: 50_000,
}

type WalletReadsOptions = {
  /** Reads wallets from a node. */
  readWallets(
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, WalletFacts>>
  readHoldings(query: HoldingsQuery, signal: AbortSignal): Promise<WalletHoldings>
  limits?: Partial<WalletReadsLimits>
  clock: { nowMs(): number }
}

type Known = WalletFacts & { nativeAtMs: number; codeAtMs: number }

/** Reads native balances and contract flags of addresses at the head, with a short-lived cache. */
export function createWalletReads(options: WalletReadsOptions): WalletReader {
  const { readWallets, clock, limits } = options
  const { timeoutMs, balanceAgeMsMax, codeAgeMsMax, walletsMax } = {
    ...walletReadsLimitDefaults,
    ...limits,
  }
  const known = new BoundedMap<string, Known>(walletsMax)
  /** Requests in flight by address, shared by concurrent callers. */
  const asked = new Map<string, Promise<void>>()

  /** Stores answers. A missing answer does not remove an earlier one. */
  function remember(answers: ReadonlyMap<string, WalletFacts>): void {
    const nowMs = clock.nowMs()
    for (const [address, { nativeRaw, isContract }] of answers) {
      const before = known.get(address)
      known.set(address, {
        nativeRaw: nativeRaw ?? before?.nativeRaw ?? null,
        nativeAtMs: nativeRaw === null ? (before?.nativeAtMs ?? 0) : nowMs,
        isContract: isContract ?? before?.isContract ?? null,
        codeAtMs: isContract === null ? (before?.codeAtMs ?? 0) : nowMs,
      })
    }
  }

  function askFor(addresses: readonly string[]): void {
    const abort = new AbortController()
    const giveUp = setTimeout(() => abort.abort(), timeoutMs)
    giveUp.unref()
    const done = readWallets(addresses, abort.signal)
      .then(remember)
      .finally(() => {
        clearTimeout(giveUp)
        for (const address of addresses) asked.delete(address)
      })
    for (const address of addresses) asked.set(address, done)
  }

  function factsOf(address: string): WalletFacts {
    const found = known.get(address)
    if (found === undefined) return { nativeRaw: null, isContract: null }
    const nowMs = clock.nowMs()
    return {
      nativeRaw: nowMs - found.nativeAtMs <= balanceAgeMsMax ? found.nativeRaw : null,
      isContract: nowMs - found.codeAtMs <= codeAgeMsMax ? found.isContract : null,
    }
  }

  return {
    readHoldings: createHoldingReads({ ...options, timeoutMs }),
    async read(addresses) {
      const wanted = addresses.filter((address) => factsOf(address).nativeRaw === null)
      const unasked = [...new Set(wanted.filter((address) => !asked.has(address)))]
      if (unasked.length > 0) askFor(unasked)
      const open = new Set(wanted.flatMap((address) => asked.get(address) ?? []))
      if (open.size > 0) await withinMs(Promise.all(open), timeoutMs, undefined)
      return new Map(addresses.map((address) => [address, factsOf(address)]))
    },
  }
}

type HoldingReadsOptions = {
  /** Reads holdings from a node. */
  readHoldings(query: HoldingsQuery, signal: AbortSignal): Promise<WalletHoldings>
  /** Time after which an answer is returned without the unanswered parts. */
  timeoutMs: number
  /** Number of tokens cached. @default 1_000 */
  tokensMax?: number
}

type Asked = { number: number; wallets: readonly string[]; answer: Promise<WalletHoldings> }

const nothing: WalletHoldings = new Map()

/** Reads holders' balances as their tokens report them, once per block. */
export function createHoldingReads(options: HoldingReadsOptions): WalletReader['readHoldings'] {
  const { readHoldings, timeoutMs, tokensMax = 1_000 } = options
  const byToken = new BoundedMap<string, Asked>(tokensMax)

  async function ask(query: HoldingsQuery): Promise<WalletHoldings> {
    const given = new AbortController()
    const answer = await withinMs(readHoldings(query, given.signal), timeoutMs, nothing)
    if (answer === nothing) given.abort()
    return answer
  }

  return async (query) => {
    const { token, number, wallets } = query
    const known = byToken.get(token)
    if (known?.number === number && wallets.every((each, at) => each === known.wallets[at]))
      return await known.answer
    const answer = ask(query)
    byToken.set(token, { number, wallets, answer })
    // A missing answer is not cached.
    const forget = () => byToken.get(token)?.answer === answer && byToken.delete(token)
    void answer.then((holdings) => holdings.size === 0 && forget(), forget)
    return await answer
  }
}
