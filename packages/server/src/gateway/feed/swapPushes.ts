import type { SwapEvent } from '../../model/marketEvent.ts'
import { type Push, TextPush } from './push.ts'
import {
  chainSwapResult,
  pairSwapResult,
  swapFields,
  tokenSwapResult,
  walletSwapResult,
} from './topics/swapTexts.ts'
import type { LocatedTrade } from './tradeTexts.ts'

export type LocatedSwap = LocatedTrade<SwapEvent>

/** All push forms of one swap. Shared fields are encoded once, and each form on first use. */
export class SwapPushes {
  readonly swap: LocatedSwap
  private fieldsText: string | null = null
  private pairPush: Push | null = null
  private tokenPush: Push | null = null
  private walletPush: Push | null = null
  private chainPush: Push | null = null

  constructor(swap: LocatedSwap) {
    this.swap = swap
  }

  forPair(): Push {
    const { facts, event, mark } = this.swap
    this.pairPush ??= this.push(pairSwapResult(facts, this.fields(), event.swap, mark))
    return this.pairPush
  }

  forToken(): Push {
    const { facts, mark } = this.swap
    this.tokenPush ??= this.push(tokenSwapResult(facts, this.fields(), mark))
    return this.tokenPush
  }

  forWallet(chain: string): Push {
    const { event, mark } = this.swap
    const id = JSON.stringify(`${event.swap.wallet}-${chain}`)
    this.walletPush ??= this.push(walletSwapResult(id, this.fields(), mark))
    return this.walletPush
  }

  forChain(): Push {
    const { facts, mark } = this.swap
    this.chainPush ??= this.push(chainSwapResult(facts, this.fields(), mark))
    return this.chainPush
  }

  private fields(): string {
    this.fieldsText ??= swapFields(this.swap.facts, this.swap.event, this.swap)
    return this.fieldsText
  }

  private push(result: string): Push {
    const { place, sentMs } = this.swap
    return new TextPush({ result, place, sentMs, conflateKey: null })
  }
}
