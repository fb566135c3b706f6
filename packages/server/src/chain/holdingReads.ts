import { BoundedMap } from '../lib/boundedMap.ts'
import { withinMs } from '../lib/withinMs.ts'
import type { Holdings, HoldingsQuery, WalletReads } from '../model/walletFacts.ts'

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

/** What tokens say of their holders, asked once for each block. */
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
    // Nobody shall be given again that there was no answer.
    const forget = () => byToken.get(token)?.answer === answer && byToken.delete(token)
    void answer.then((holdings) => holdings.size === 0 && forget(), forget)
    return await answer
  }
}
