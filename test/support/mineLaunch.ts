import { toEventSelector } from 'viem'
import type { DevNode } from './devNode.ts'

export const tokenCreated = toEventSelector('TokenCreated(address,address,uint256,uint256)')

/**
 * Mines up to a block that launches a token: reverting that block frees ids. The next launch comes
 * 45 s later.
 */
export async function mineLaunch(node: DevNode): Promise<void> {
  for (let logs: unknown[] = []; logs.length === 0; ) {
    await node.mineMarket()
    logs = (await node.request('eth_getLogs', [{ topics: [tokenCreated] }])) as unknown[]
  }
}
