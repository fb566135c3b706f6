import type { BlockRef, BlockTime } from '../../../model/block.ts'
import type { Kline } from '../../../model/klines/kline.ts'
import type { PairNews } from '../../../model/pairNews.ts'
import type { GatewayChain } from '../../gatewayChain.ts'
import type { TradeEvent } from '../../recent/recentBlock.ts'

export type StoredTrade = { blockNumber: number; event: TradeEvent } & BlockTime

/** What trades must be beside. */
export type StoredTradeFilter = {
  wallet?: string
  /** In trusted pools. */
  isTrusted?: true
  /** 1e-8 USD. */
  usdE8Min?: number
  /** As `amm` names it. */
  venue?: string
}

export type TradesQuery = {
  kind: 'swap' | 'liquidity'
  /** Null: all pairs. */
  pairIds: readonly number[] | null
  filter?: StoredTradeFilter
  /** Events behind this place, exclusive. */
  after: { number: number; index: number; timeS: number }
  /** Last block, inclusive. */
  toNumber: number
  limit: number
  /** asc: the oldest of them, oldest first; desc: the newest of them, newest first. */
  order: 'asc' | 'desc'
}

/** A block that was reverted: no block of its numbers, from behind its parent's up to its own, is behind any that was canonical. */
export type RevertedBlock = Pick<BlockRef, 'number' | 'parentNumber'>

/** What a block reported of new pairs, in order. */
export type BlockNews = { ref: BlockRef; news: readonly PairNews[] }

export type NewsQuery = {
  /** First block; none behind it is older than its time. */
  from: { number: number; timeS: number }
  /** Only blocks behind the first one. */
  isExclusive: boolean
  /** Last block, inclusive. */
  toNumber: number
  /** Of blocks. */
  limit: number
  /** asc: the oldest of them, oldest first; desc: the newest of them, newest first. */
  order: 'asc' | 'desc'
}

/** `reached`: all up to this block is there, and there may be more behind it; null: that is all. */
export type NewsPage = { blocks: readonly BlockNews[]; reached: BlockRef | null }

export type KlinesQuery = { pairId: number; interval: number; fromS: number; limit: number }

/** The past of a chain as the store has it. Reads may fail; readers get an error then. */
export type FeedHistory = {
  /** Canonical blocks of these numbers, as far as the log goes back. */
  findBlocks(
    chain: GatewayChain,
    numbers: readonly number[],
  ): Promise<ReadonlyMap<number, BlockRef>>
  /** The newest `limit` canonical blocks up to a number, newest first, as far as the log goes back. */
  loadBlocksUpTo(chain: GatewayChain, toNumber: number, limit: number): Promise<readonly BlockRef[]>
  /**
   * Blocks up to a number that were ever reverted, the highest `limit` of them, highest number first, as far as the log
   * goes back.
   */
  loadReverted(
    chain: GatewayChain,
    toNumber: number,
    limit: number,
  ): Promise<readonly RevertedBlock[]>
  loadTrades(chain: GatewayChain, query: TradesQuery): Promise<readonly StoredTrade[]>
  /** Blocks with news, as far as the log goes back. */
  loadNews(chain: GatewayChain, query: NewsQuery): Promise<NewsPage>
  /** Wallets with the largest balances of a token, largest first. */
  loadTopHolders(
    chain: GatewayChain,
    tokenId: number,
    limit: number,
  ): Promise<readonly { wallet: string; balance: bigint }[]>
  /** Ended klines from a start on, the newest of them, oldest first. */
  loadKlines(chain: GatewayChain, query: KlinesQuery): Promise<readonly Kline[]>
}
