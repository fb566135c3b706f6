import type { Market } from './market/market.ts'
import { type Head, readHead } from './node/head.ts'
import type { Lane, Transaction } from './node/lane.ts'

/** Mines blocks at given times; by default one second after the last. */
export type Miner = {
  setNextTime(timestampS: number): void
  mine(timestampS?: number): Promise<string>
  /** Mines a block with the bots' transactions. */
  mineMarket(timestampS?: number): Promise<string>
}

export type MinerOptions = {
  lane: Lane
  /** Undefined without a listed market: blocks are then empty. */
  market: Market | undefined
  onLog: (message: string) => void
}

export function createMiner({ lane, market, onLog }: MinerOptions): Miner {
  let nextTimeS: number | undefined

  function takeTime(head: Head, timestampS: number | undefined): number {
    const taken = timestampS ?? nextTimeS ?? head.timestampS + 1
    nextTimeS = undefined
    return taken
  }

  // A client of the RPC can break any contract of the bots; the chain continues without them.
  async function plan(head: Head, timestampS: number): Promise<Transaction[]> {
    try {
      return (await market?.planBlock(head, timestampS)) ?? []
    } catch (error) {
      onLog(`The bots could not plan block ${head.number + 1}: ${(error as Error).message}`)
      return []
    }
  }

  return {
    setNextTime(timestampS) {
      nextTimeS = timestampS
    },
    async mine(timestampS) {
      return await lane.mine(takeTime(await readHead(lane.request), timestampS))
    },
    async mineMarket(timestampS) {
      const head = await readHead(lane.request)
      const timeS = takeTime(head, timestampS)
      for (const transaction of await plan(head, timeS))
        await lane.send(transaction).catch((error: Error) => {
          onLog(
            `The node refused a bot's transaction in block ${head.number + 1}: ${error.message}`,
          )
        })
      return await lane.mine(timeS)
    },
  }
}
