import type { Subscriber } from './feed.ts'

/** The price items of one subscribe request: what changes in a block goes to it in one push. */
export class PriceGroup {
  /** With the number of items each stands for. All have the same socket and id. */
  readonly members = new Map<Subscriber, number>()
  /** Pairs that changed in the block at hand. */
  readonly dirty = new Set<number>()
  /** Sends what new items wait for; null: nothing is due. */
  sendFirst: ((nowMs: number) => void) | null = null

  sender(): Subscriber | undefined {
    return this.members.keys().next().value
  }
}

/** By socket and id of the request. */
export class PriceGroups {
  private readonly bySocket = new Map<object, Map<number, PriceGroup>>()

  join(subscriber: Subscriber): PriceGroup {
    const { socket, id } = subscriber
    let byId = this.bySocket.get(socket)
    if (byId === undefined) {
      byId = new Map()
      this.bySocket.set(socket, byId)
    }
    let group = byId.get(id)
    if (group === undefined) {
      group = new PriceGroup()
      byId.set(id, group)
    }
    group.members.set(subscriber, (group.members.get(subscriber) ?? 0) + 1)
    return group
  }

  leave(subscriber: Subscriber, group: PriceGroup): void {
    const { socket, id } = subscriber
    const count = group.members.get(subscriber) ?? 0
    if (count > 1) group.members.set(subscriber, count - 1)
    else group.members.delete(subscriber)
    if (group.members.size > 0) return
    const byId = this.bySocket.get(socket)
    byId?.delete(id)
    if (byId?.size === 0) this.bySocket.delete(socket)
  }
}
