import { BoundedMap } from '../lib/boundedMap.ts'
import { withinMs } from '../lib/withinMs.ts'
import type { Holdings, HoldingsQuery, WalletFacts, WalletReads } from '../model/walletFacts.ts'

export type WalletReadsLimits = {
  /** After this an answer is given without what the node has not said. @default 2_000 */
  timeoutMs: number
  /** Age of a native balance that is still given. @default 10_000 */
  balanceAgeMsMax: number
  /** Age of what is known of an address's code; it hardly ever changes. @default 3_600_000 */
  codeAgeMsMax: number
  /** Addresses remembered. @default 50_000 */
  walletsMax: number
}

const walletReadsLimitDefaults: WalletReadsLimits = {
  timeoutMs: 2_000,
  balanceAgeMsMax: 10_000,
  codeAgeMsMax: 3_600_000,
  walletsMax: 50_000,
}

export type WalletReadsOptions = {
  /** Asks a node. */
  readWallets(
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, WalletFacts>>
  readHoldings(query: HoldingsQuery, signal: AbortSignal): Promise<Holdings>
  limits?: Partial<WalletReadsLimits>
  clock: { nowMs(): number }
}

type Known = WalletFacts & { nativeAtMs: number; codeAtMs: number }

/** Native balances and code of addresses as the node has them now, remembered for a moment. */
export function createWalletReads(options: WalletReadsOptions): WalletReads {
  const { readWallets, clock, limits } = options
  const { timeoutMs, balanceAgeMsMax, codeAgeMsMax, walletsMax } = {
    ...walletReadsLimitDefaults,
    ...limits,
  }
  const known = new BoundedMap<string, Known>(walletsMax)
  /** Two callers that want the same address at once ask once. */
  const asked = new Map<string, Promise<void>>()

  /** What was not answered this time does not undo what was known before. */
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

export type HoldingReadsOptions = {
  /** Asks a node. */
  readHoldings(query: HoldingsQuery, signal: AbortSignal): Promise<Holdings>
  /** After this an answer is given without what the node has not said. */
  timeoutMs: number
  /** Tokens remembered. @default 1_000 */
  tokensMax?: number
}

type Asked = { number: number; wallets: readonly string[]; answer: Promise<Holdings> }

const nothing: Holdings = new Map()

/** Balances of holders as their tokens report them, asked once for each block. */
export function createHoldingReads(options: HoldingReadsOptions): WalletReads['readHoldings'] {
  const { readHoldings, timeoutMs, tokensMax = 1_000 } = options
  const byToken = new BoundedMap<string, Asked>(tokensMax)

  async function ask(query: HoldingsQuery): Promise<Holdings> {
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
    // A missing answer is not remembered.
    const forget = () => byToken.get(token)?.answer === answer && byToken.delete(token)
    void answer.then((holdings) => holdings.size === 0 && forget(), forget)
    return await answer
  }
}
