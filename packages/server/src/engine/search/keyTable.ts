import { uncountedBuffer } from '../../lib/uncountedBuffer.ts'

/** Each grows alone, so that no block waits for all keys to be placed again. */
const shardBits = 8
const shardCount = 1 << shardBits
const firstSlots = 8
/** Slots of so many bytes are no business of the collector. */
const countedBytesMax = 1 << 13
const high32 = 2 ** 32

/** A power of two of slots; one is empty while its value is 0. */
type Shard = { keys: Float64Array; values: Uint32Array; count: number }

/** Numbers by keys that are whole doubles, in open addressing: 12 bytes a slot, at most three quarters of them taken. */
export class KeyTable {
  private readonly shards: (Shard | undefined)[] = Array.from({ length: shardCount })

  /** 0: the key is not here. */
  get(key: number): number {
    const hash = hashOf(key)
    const shard = this.shards[hash >>> (32 - shardBits)]
    return shard === undefined ? 0 : shard.values[slotOf(shard, hash, key)]!
  }

  /** Any value but 0. */
  set(key: number, value: number): void {
    const hash = hashOf(key)
    const index = hash >>> (32 - shardBits)
    let shard = this.shards[index]
    if (shard === undefined) {
      shard = createShard(firstSlots)
      this.shards[index] = shard
    }
    let slot = slotOf(shard, hash, key)
    if (shard.values[slot] === 0) {
      if ((shard.count + 1) * 4 > shard.values.length * 3) {
        shard = grown(shard)
        this.shards[index] = shard
        slot = slotOf(shard, hash, key)
      }
      shard.count += 1
      shard.keys[slot] = key
    }
    shard.values[slot] = value
  }

  delete(key: number): void {
    const hash = hashOf(key)
    const shard = this.shards[hash >>> (32 - shardBits)]
    if (shard === undefined) return
    const { keys, values } = shard
    const mask = values.length - 1
    let hole = slotOf(shard, hash, key)
    if (values[hole] === 0) return
    shard.count -= 1
    // What comes behind moves up, unless it would be before its own place.
    for (let slot = (hole + 1) & mask; values[slot] !== 0; slot = (slot + 1) & mask) {
      const home = hashOf(keys[slot]!) & mask
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue
      keys[hole] = keys[slot]!
      values[hole] = values[slot]!
      hole = slot
    }
    values[hole] = 0
  }
}

/** Those of the first few slots have no buffer: V8 keeps so few numbers in its own heap, where hundreds of shards cost little. */
function createShard(slots: number): Shard {
  if (slots * 8 <= countedBytesMax)
    return { keys: new Float64Array(slots), values: new Uint32Array(slots), count: 0 }
  return {
    keys: new Float64Array(uncountedBuffer(slots * 8)),
    values: new Uint32Array(uncountedBuffer(slots * 4)),
    count: 0,
  }
}

function grown({ keys, values, count }: Shard): Shard {
  const larger = createShard(values.length * 2)
  for (let from = 0; from < values.length; from += 1) {
    if (values[from] === 0) continue
    const slot = slotOf(larger, hashOf(keys[from]!), keys[from]!)
    larger.keys[slot] = keys[from]!
    larger.values[slot] = values[from]!
  }
  larger.count = count
  return larger
}

/** Where the key is, or the empty slot in which it would be. */
function slotOf({ keys, values }: Shard, hash: number, key: number): number {
  const mask = values.length - 1
  let slot = hash & mask
  while (values[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) & mask
  return slot
}

function hashOf(key: number): number {
  let hash = Math.imul(key >>> 0, 0x9e3779b1) ^ Math.imul((key / high32) >>> 0, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b)
  return (hash ^ (hash >>> 16)) >>> 0
}
