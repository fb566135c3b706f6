import type { ResultMark } from '../tradeTexts.ts'
import type { Place } from './locateCursor.ts'
import { RecentReplay } from './recentReplay.ts'
import type { StateSource } from './replaySource.ts'

/**
 * Replay of an item whose pushes are not stored. A client that asks for a snapshot, or resumes from
 * before memory, is sent the current state.
 */
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

  /**
   * Sends the current state and makes the subscription live. The state includes all blocks so far.
   */
  private sendNow(mark: ResultMark): void {
    const { subscriber, join, market } = this.parts
    const state = this.source.now(mark)
    if (state !== null) subscriber.send(state)
    join(market.recent.seq)
  }
}
