import { windowsS } from '../../engine/marketReads.ts'
import type { GatewayChain } from '../chain/gatewayChain.ts'
import { WindowInputs, type WindowOwner } from '../rows/windowInputs.ts'

const dayWindow = windowsS.length - 1

type Counted = { makers: number; source: WindowInputs }

/**
 * Cached 24-hour counts of distinct wallets, for pairs and tokens whose prices are pushed.
 * Counting is slow, and the rate of a quote token moves many prices in each block. So a count is
 * repeated only after a trade or a revert, or when a trade leaves the 24 hours.
 */
export class DayWalletCounts {
  private readonly countMax: number
  private readonly pairs = new Map<number, Counted>()
  private readonly tokens = new Map<number, Counted>()

  constructor(countMax: number) {
    this.countMax = countMax
  }

  count({ reads }: GatewayChain, isOf: WindowOwner, id: number, nowS: number): number {
    const counted = this.counted(isOf, id)
    if (counted.source.isCurrent(reads, isOf, id, nowS)) return counted.makers
    const window =
      isOf === 'token'
        ? reads.tokenWindow(id, dayWindow, nowS)
        : reads.pairWindow(id, dayWindow, nowS)
    counted.makers = window.makers
    counted.source.validUntilS = window.changesAtS
    return window.makers
  }

  private counted(isOf: WindowOwner, id: number): Counted {
    const all = isOf === 'token' ? this.tokens : this.pairs
    let counted = all.get(id)
    if (counted === undefined) {
      if (all.size >= this.countMax) all.clear()
      counted = { makers: 0, source: new WindowInputs() }
      all.set(id, counted)
    }
    return counted
  }
}
