import type { ResultMark } from '../tradeTexts.ts'
import type { Place } from './locateCursor.ts'
import { RecentReplay } from './recentReplay.ts'
import type { StateSource } from './replaySource.ts'

/** Of an item whose past is not stored: who comes from before memory, or asks for it, is sent what is now. */
export class StateReplay extends RecentReplay<StateSource> {
  async snapshot(): Promise<void> {
    this.sendNow('snapshot')
  }

  protected async beforeMemory(place: Place): Promise<Place | null> {
    const next = this.adjoining(place)
    if (next === null) this.sendNow('')
    return next
  }

  protected override finish(): void {
    const rest = this.source.beside()
    if (rest !== null) this.parts.subscriber.send(rest)
    super.finish()
  }

  /** It holds what every block has brought, so live is all that is to come. */
  private sendNow(mark: ResultMark): void {
    const { subscriber, join, market } = this.parts
    const state = this.source.now(mark)
    if (state !== null) subscriber.send(state)
    join(market.recent.seq)
  }
}
