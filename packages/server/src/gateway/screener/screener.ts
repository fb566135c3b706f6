import type { Clock, GatewayChain } from '../gatewayChain.ts'
import type { Turns } from '../turns/turns.ts'
import type { Board } from './board.ts'
import type { BoardSubject } from './boardSubject.ts'
import { KeptBoard } from './keptBoard.ts'
import { tokenSubject } from './tokenMeasures.ts'
import { Trending } from './trending.ts'

/**
 * Boards of all chains. A board is created on first use and refreshed while requests ask for it.
 */
export type Screener = {
  /** Returns the chain's board of tokens or pairs, once all rows were read. */
  of(chain: GatewayChain, subject: BoardSubject, turns: Turns): Promise<Board>
  /** Returns the token board, once all tokens traded within 24 hours were read. */
  traded(chain: GatewayChain, turns: Turns): Promise<Board>
  /**
   * Returns the token board, once tokens traded within 24 hours and tokens of launch platforms were
   * read.
   */
  launched(chain: GatewayChain, turns: Turns): Promise<Board>
  trending(chain: GatewayChain): Trending
}

export function createScreener(clock: Clock): Screener {
  const boards = new WeakMap<GatewayChain, Map<BoardSubject, KeptBoard>>()
  const orders = new WeakMap<GatewayChain, Trending>()

  function keptOf(chain: GatewayChain, subject: BoardSubject): KeptBoard {
    const ofChain = boards.get(chain) ?? new Map<BoardSubject, KeptBoard>()
    boards.set(chain, ofChain)
    const kept = ofChain.get(subject) ?? new KeptBoard(chain, subject, clock)
    ofChain.set(subject, kept)
    return kept
  }

  function trending(chain: GatewayChain): Trending {
    const known = orders.get(chain) ?? new Trending(keptOf(chain, tokenSubject), clock)
    orders.set(chain, known)
    return known
  }

  async function traded(chain: GatewayChain, turns: Turns): Promise<Board> {
    await trending(chain).ready(turns)
    return keptOf(chain, tokenSubject).board
  }

  return {
    trending,
    traded,
    async of(chain, subject, turns) {
      const kept = keptOf(chain, subject)
      await kept.readAll(turns)
      return kept.board
    },
    async launched(chain, turns) {
      await keptOf(chain, tokenSubject).readLaunched(turns)
      return await traded(chain, turns)
    },
  }
}
