// The market that is stored and served: every kind of event, with ids as an EVM chain writes them.
import { createHash } from 'node:crypto'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type { BalanceChange } from '../../packages/server/src/model/finishedBlock.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import { fromJson, toJson } from '../support/upgradeFixture.ts'
import { playUpgradeMarket, upgradeProfile } from '../support/upgradeMarket.ts'

const idPattern =
  /"((?:token|pair|wallet|hash|tx)-[-\d]+|router|factory3?|creator|zero|launchpad-1)"(?!:)/g

/** Turns names of the generator, such as token-1 or hash-2, into addresses and hashes. */
export function withRealIds<value>(given: value): value {
  const text = toJson(given).replace(idPattern, (_, id: string) => {
    const hex = createHash('sha256').update(id).digest('hex')
    return `"0x${/^(hash|tx)/.test(id) ? hex : hex.slice(0, 40)}"`
  })
  return fromJson(text)
}

export const marketProfile: ChainProfile = withRealIds({
  ...upgradeProfile,
  launchPlatforms: [{ address: 'launchpad-1', platform: 'launchpad', amm: 'uniswapv2' }],
})

/** The rows that one entry writes. */
export type MarketStep = { entry: LogEntry; balances: readonly BalanceChange[] }

/**
 * Steps of the market. A revert has the balance changes of the block it reverts; wallets hold
 * tokens 0 to 4.
 */
export function marketSteps(): MarketStep[] {
  const held = new Map<string, bigint>()
  const standing: BalanceChange[][] = []
  return withRealIds(playUpgradeMarket(12).entries).map((entry) => {
    if (entry.type === 'revert') {
      const balances = standing.pop()!
      for (const { tokenId, wallet, before } of balances) held.set(`${tokenId} ${wallet}`, before)
      return { entry, balances }
    }
    if (entry.type !== 'commit') return { entry, balances: [] }
    const changes = new Map<string, BalanceChange>()
    for (const event of entry.block.events) {
      if (event.type !== 'swap') continue
      const { wallet, pairId, reserve0 } = event
      const tokenId = pairId % 5
      const key = `${tokenId} ${wallet}`
      const after = (held.get(key) ?? 0n) + reserve0
      changes.set(key, {
        tokenId,
        wallet,
        before: changes.get(key)?.before ?? after - reserve0,
        after,
      })
      held.set(key, after)
    }
    const balances = [...changes.values()]
    standing.push(balances)
    return { entry, balances }
  })
}
