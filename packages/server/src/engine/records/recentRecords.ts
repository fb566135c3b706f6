/** A power of two. */
const placesMax = 1 << 13

/** Records that were read not long ago, as objects: one for each place, so that it is never more than that. */
export class RecentRecords<record extends { readonly id: number }> {
  private readonly records: (record | undefined)[] = []

  get(id: number): record | undefined {
    const found = this.records[id & (placesMax - 1)]
    return found?.id === id ? found : undefined
  }

  keep(record: record): record {
    const place = record.id & (placesMax - 1)
    // No holes: an array with few of its places filled would be a slow map.
    while (this.records.length < place) this.records.push(undefined)
    this.records[place] = record
    return record
  }

  forget(id: number): void {
    if (this.get(id) !== undefined) this.records[id & (placesMax - 1)] = undefined
  }
}
