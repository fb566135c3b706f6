import type { Clock, GatewayChain } from '../chain/gatewayChain.ts'
import type { Scheduler } from '../ground/scheduler.ts'
import type { ScreenerBoard } from './board.ts'
import type { BoardSubject } from './boardSubject.ts'
import { RefreshedBoard } from './refreshedBoard.ts'
import { tokenBoardSubject } from './tokenMeasures.ts'
import { TrendingOrder } from './trending.ts'

/**
 * Boards of all chains. A board is created on first use and refreshed while requests ask for it.
 */
export type ScreenerBoards = {
  /** Returns the chain's board of tokens or pairs, once all rows were read. */
  board(chain: GatewayChain, subject: BoardSubject, scheduler: Scheduler): Promise<ScreenerBoard>
  /** Returns the token board, once all tokens traded within 24 hours were read. */
  tradedBoard(chain: GatewayChain, scheduler: Scheduler): Promise<ScreenerBoard>
  /**
   * Returns the token board, once tokens traded within 24 hours and tokens of launch platforms were
   * read.
   */
  launchedBoard(chain: GatewayChain, scheduler: Scheduler): Promise<ScreenerBoard>
  trending(chain: GatewayChain): TrendingOrder
}

export function createScreenerBoards(clock: Clock): ScreenerBoards {
  const boards = new WeakMap<GatewayChain, Map<BoardSubject, RefreshedBoard>>()
  const orders = new WeakMap<GatewayChain, TrendingOrder>()

  function keptOf(chain: GatewayChain, subject: BoardSubject): RefreshedBoard {
    const ofChain = boards.get(chain) ?? new Map<BoardSubject, RefreshedBoard>()
    boards.set(chain, ofChain)
    const kept = ofChain.get(subject) ?? new RefreshedBoard(chain, subject, clock)
    ofChain.set(subject, kept)
    return kept
  }

  function trending(chain: GatewayChain): TrendingOrder {
    const known = orders.get(chain) ?? new TrendingOrder(keptOf(chain, tokenBoardSubject), clock)
    orders.set(chain, known)
    return known
  }

  async function tradedBoard(chain: GatewayChain, scheduler: Scheduler): Promise<ScreenerBoard> {
    await trending(chain).whenReady(scheduler)
    return keptOf(chain, tokenBoardSubject).board
  }

  return {
    trending,
    tradedBoard,
    async board(chain, subject, scheduler) {
      const kept = keptOf(chain, subject)
      await kept.readAll(scheduler)
      return kept.board
    },
    async launchedBoard(chain, scheduler) {
      await keptOf(chain, tokenBoardSubject).readLaunched(scheduler)
      return await tradedBoard(chain, scheduler)
    },
  }
}
