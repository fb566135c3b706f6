import { windowsS } from '../../engine/marketReads.ts'
import type { GatewayChain } from '../gatewayChain.ts'
import { type SourceOf, WindowSource } from '../rows/windowSource.ts'

const dayWindow = windowsS.length - 1

type Counted = { makers: number; source: WindowSource }

/**
 * Cached 24-hour counts of distinct wallets, for pairs and tokens whose prices are pushed.
 * Counting is slow, and the rate of a quote token moves many prices in each block. So a count is
 * repeated only after a trade or a revert, or when a trade leaves the 24 hours.
 */
export class DayMakers {
  private readonly countMax: number
  private readonly pairs = new Map<number, Counted>()
  private readonly tokens = new Map<number, Counted>()

  constructor(countMax: number) {
    this.countMax = countMax
  }

  of({ reads }: GatewayChain, isOf: SourceOf, id: number, nowS: number): number {
    const counted = this.counted(isOf, id)
    if (counted.source.isSame(reads, isOf, id, nowS)) return counted.makers
    const window =
      isOf === 'token'
        ? reads.tokenWindow(id, dayWindow, nowS)
        : reads.pairWindow(id, dayWindow, nowS)
    counted.makers = window.makers
    counted.source.validUntilS = window.changesAtS
    return window.makers
  }

  private counted(isOf: SourceOf, id: number): Counted {
    const all = isOf === 'token' ? this.tokens : this.pairs
    let counted = all.get(id)
    if (counted === undefined) {
      if (all.size >= this.countMax) all.clear()
      counted = { makers: 0, source: new WindowSource() }
      all.set(id, counted)
    }
    return counted
  }
}
