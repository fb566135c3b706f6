/** Ascending ids in a typed array with room at the end. */
class Postings {
  ids = new Uint32Array(4)
  length = 0

  add(id: number): void {
    if (this.length === this.ids.length) {
      // Half again: lists are many and mostly short.
      const grown = new Uint32Array(this.length + (this.length >> 1))
      grown.set(this.ids)
      this.ids = grown
    }
    const at = this.length === 0 || this.ids[this.length - 1]! < id ? this.length : this.lower(id)
    if (at < this.length && this.ids[at] === id) return
    this.ids.copyWithin(at + 1, at, this.length)
    this.ids[at] = id
    this.length += 1
  }

  remove(id: number): void {
    const at = this.lower(id)
    if (at === this.length || this.ids[at] !== id) return
    this.ids.copyWithin(at, at + 1, this.length)
    this.length -= 1
  }

  /** First place from `from` on whose id is not below. Gallops, then halves. */
  lower(id: number, from = 0): number {
    let step = 1
    let low = from
    let high = from
    while (high < this.length && this.ids[high]! < id) {
      low = high + 1
      high += step
      step *= 2
    }
    high = Math.min(high, this.length)
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.ids[middle]! < id) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Lists of ids by key. Most keys have one id, which is held without a list. */
export class PostingLists {
  private readonly lists = new Map<string, number | Postings>()

  add(key: string, id: number): void {
    const held = this.lists.get(key)
    if (held === undefined) this.lists.set(key, id)
    else if (typeof held !== 'number') held.add(id)
    else if (held !== id) {
      const postings = new Postings()
      postings.add(held)
      postings.add(id)
      this.lists.set(key, postings)
    }
  }

  remove(key: string, id: number): void {
    const held = this.lists.get(key)
    if (held === id) this.lists.delete(key)
    else if (held !== undefined && typeof held !== 'number') {
      held.remove(id)
      if (held.length === 0) this.lists.delete(key)
    }
  }

  /**
   * Visits the ids that are in all lists, ascending, until `visit` gives no work that is left. Looking at an id of the
   * shortest list is one unit of work.
   */
  join(
    keys: readonly string[],
    workMax: number,
    visit: (id: number, workLeft: number) => number,
  ): void {
    const lists: Postings[] = []
    for (const key of keys) {
      const held = this.lists.get(key)
      if (held === undefined) return
      if (typeof held !== 'number') lists.push(held)
      else {
        const single = new Postings()
        single.add(held)
        lists.push(single)
      }
    }
    lists.sort((a, b) => a.length - b.length)
    const [shortest, ...others] = lists
    if (!shortest) return
    const places = others.map(() => 0)
    let workLeft = workMax
    for (let index = 0; index < shortest.length && workLeft > 0; index += 1) {
      workLeft -= 1
      const id = shortest.ids[index]!
      let isInAll = true
      for (let other = 0; other < others.length && isInAll; other += 1) {
        const list = others[other]!
        places[other] = list.lower(id, places[other])
        isInAll = places[other]! < list.length && list.ids[places[other]!] === id
      }
      if (isInAll) workLeft = visit(id, workLeft)
    }
  }
}
