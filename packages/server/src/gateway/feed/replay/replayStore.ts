import type { BlockRef, BlockTime } from '../../../model/block.ts'
import type { Kline } from '../../../model/klines/kline.ts'
import type { PairMilestone } from '../../../model/pairMilestones.ts'
import type { Store } from '../../../store/openStore.ts'
import type { GatewayChain } from '../../chain/gatewayChain.ts'
import type { TradeEvent } from '../../chain/recentBlock.ts'
import { RequestError } from '../../ground/errors.ts'

export type StoredTrade = { blockNumber: number; event: TradeEvent } & BlockTime

/** Conditions on stored trades besides pair and position. */
export type StoredTradeFilter = {
  wallet?: string
  /** True: only trades in trusted pools. */
  isTrusted?: true
  /** Minimum value of a stored trade, in 1e-8 USD. */
  usdE8Min?: number
  /** Venue of the trades, as the field `amm` names it. */
  venue?: string
}

export type TradesQuery = {
  kind: 'swap' | 'liquidity'
  /** Pairs whose trades are read; null: all pairs. */
  pairIds: readonly number[] | null
  filter?: StoredTradeFilter
  /** Position after which trades are read, exclusive. */
  after: { number: number; index: number; timeS: number }
  /** Number of the last block whose trades are read, inclusive. */
  toNumber: number
  limit: number
  /** asc: the oldest trades, oldest first. desc: the newest trades, newest first. */
  order: 'asc' | 'desc'
}

/**
 * A reverted block. Its branch left the canonical chain at the parent or earlier, so canonical
 * blocks above the parent's number were not on that branch.
 */
export type RevertedBlock = Pick<BlockRef, 'number' | 'parentNumber'>

/** Pair news of one block (created, graduated), in block order. */
export type BlockPairNews = { ref: BlockRef; news: readonly PairMilestone[] }

export type PairNewsQuery = {
  /** The first block. Later blocks are never older than its time, which bounds the search. */
  from: { number: number; timeS: number }
  /** True: pair news are read from the block after the first one. */
  isExclusive: boolean
  /** Number of the last block whose pair news are read, inclusive. */
  toNumber: number
  /** Maximum number of blocks in a page of pair news. */
  limit: number
  /** asc: the oldest blocks, oldest first. desc: the newest blocks, newest first. */
  order: 'asc' | 'desc'
}

/**
 * A page of stored pair news. `reached`: the last block that this page covers, more may follow;
 * null: the last page.
 */
export type PairNewsPage = { blocks: readonly BlockPairNews[]; reached: BlockRef | null }

export type KlinesQuery = { pairId: number; interval: number; fromS: number; limit: number }

/**
 * Reads the stored history of a chain for replays. When a read fails, the replayed subscription
 * ends with an error.
 */
export type ReplayStore = {
  /** Canonical blocks with these numbers, as far back as the log goes. */
  findBlocks(
    chain: GatewayChain,
    numbers: readonly number[],
  ): Promise<ReadonlyMap<number, BlockRef>>
  /**
   * The newest `limit` canonical blocks up to a number, newest first, as far back as the log goes.
   */
  loadBlocksUpTo(chain: GatewayChain, toNumber: number, limit: number): Promise<readonly BlockRef[]>
  /**
   * Reverted blocks up to a number: the highest `limit`, highest number first, as far back as the
   * log goes.
   */
  loadReverted(
    chain: GatewayChain,
    toNumber: number,
    limit: number,
  ): Promise<readonly RevertedBlock[]>
  loadTrades(chain: GatewayChain, query: TradesQuery): Promise<readonly StoredTrade[]>
  /** Loads blocks with pair news, as far back as the log goes. */
  loadNews(chain: GatewayChain, query: PairNewsQuery): Promise<PairNewsPage>
  /** Loads the wallets with the largest balances of a token, largest first. */
  loadTopHolders(
    chain: GatewayChain,
    tokenId: number,
    limit: number,
  ): Promise<readonly { wallet: string; balance: bigint }[]>
  /** Ended klines from a start time on: the newest `limit`, oldest first. */
  loadKlines(chain: GatewayChain, query: KlinesQuery): Promise<readonly Kline[]>
}

// A time later than every stored kline.
const anyTimeS = Number.MAX_SAFE_INTEGER

type ReplayReads = Pick<
  Store,
  | 'findLogBlocks'
  | 'loadLogBlocks'
  | 'loadReverted'
  | 'loadTrades'
  | 'loadNews'
  | 'loadKlines'
  | 'topHolders'
>

/** Reads history for replays from PostgreSQL, which identifies a chain by a number. */
export function createReplayStore(store: ReplayReads): ReplayStore {
  return {
    async findBlocks({ storeId }, numbers) {
      const refs = await store.findLogBlocks(storeId, numbers)
      return new Map(refs.map((ref) => [ref.number, ref]))
    },
    loadBlocksUpTo: ({ storeId }, toNumber, limit) =>
      store.loadLogBlocks(storeId, { after: -1, toNumber, limit }),
    loadReverted: ({ storeId }, toNumber, limit) => store.loadReverted(storeId, toNumber, limit),
    loadTrades: ({ storeId: chainId }, { kind, ...query }) =>
      store.loadTrades({ chainId, table: kind === 'swap' ? 'swaps' : 'liquidity', ...query }),
    loadNews: ({ storeId: chainId }, { from: { number, timeS }, ...query }) =>
      store.loadNews({ chainId, from: { number, timeS }, ...query }),
    loadTopHolders: async ({ storeId }, tokenId, limit) =>
      (await store.topHolders(storeId, tokenId, limit)).holders,
    loadKlines: ({ storeId: chainId }, query) =>
      store.loadKlines({ chainId, ...query, toS: anyTimeS }),
  }
}

/** Limits concurrent reads. Further reads wait in order, and their number is limited too. */
export class ReadLimiter {
  readonly #max: number
  readonly #waitsMax: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(max: number, waitsMax: number) {
    this.#max = max
    this.#waitsMax = waitsMax
  }

  async run<result>(read: () => Promise<result>): Promise<result> {
    if (this.#running >= this.#max) {
      if (this.#waiting.length >= this.#waitsMax)
        throw new RequestError(
          'unavailable',
          'Too many subscriptions resume at once; try again.',
          'since',
        )
      // A read that ends passes its slot to the first waiting read, so that no new read overtakes.
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else this.#running += 1
    try {
      return await read()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }
}
