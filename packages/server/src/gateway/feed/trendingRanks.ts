import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import type { PairFactsCache } from './pairFacts.ts'
import { type RankedToken, trendingResult } from './topics/trending.ts'

// The order changes slowly; more often would only cost.
const intervalMs = 1_000

/** The trending order of a chain and what it was before. */
export class TrendingRanks {
  private readonly ranksMax: number
  private order: readonly number[] = []
  private before = new Map<number, number>()
  private readAtMs = Number.NEGATIVE_INFINITY

  constructor(ranksMax: number) {
    this.ranksMax = ranksMax
  }

  /** Reads the order again when that is due; true when it is another. */
  refresh(chain: GatewayChain, clock: Clock): boolean {
    const nowMs = clock.nowMs()
    if (nowMs - this.readAtMs < intervalMs && nowMs >= this.readAtMs) return false
    this.readAtMs = nowMs
    const order = chain.reads.trending(nowSOf(chain, clock), 0, this.ranksMax)
    const isSame =
      order.length === this.order.length && order.every((id, at) => id === this.order[at])
    if (isSame) return false
    this.before = new Map(this.order.map((tokenId, at) => [tokenId, at + 1]))
    this.order = order
    return true
  }

  result(chain: GatewayChain, facts: PairFactsCache, nowS: number): string {
    const ranked = this.order.map(
      (tokenId, at): RankedToken => ({
        facts: facts.token(tokenId),
        rank: at + 1,
        rankBefore: this.before.get(tokenId) ?? null,
      }),
    )
    return trendingResult(chain, ranked, nowS)
  }

  /** Token ids may mean others. */
  clear(): void {
    this.order = []
    this.before = new Map()
    this.readAtMs = Number.NEGATIVE_INFINITY
  }
}
