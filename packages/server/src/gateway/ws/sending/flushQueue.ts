import type { Push, RpcId } from '../../feed/push.ts'
import { deflateTail, type Frame, PushFrame } from './frames.ts'

/**
 * Frames that leave in one write, as a tree. Sockets that send the same frames in the same order
 * share a tree node, so the bytes are joined only once.
 */
export class FrameBatch {
  readonly bytes: number
  readonly #parent: FrameBatch | null
  readonly #frame: Frame | null
  #joined: Buffer | null = null
  #lastFrame: Frame | null = null
  #lastNext: FrameBatch | null = null
  #nexts: Map<Frame, FrameBatch> | null = null

  constructor(parent: FrameBatch | null, frame: Frame | null) {
    this.#parent = parent
    this.#frame = frame
    this.bytes = (parent?.bytes ?? 0) + (frame?.length ?? 0)
  }

  static createRoot(): FrameBatch {
    return new FrameBatch(null, null)
  }

  /** Returns this batch plus a frame that other sockets may send too. */
  withShared(frame: Frame): FrameBatch {
    if (frame === this.#lastFrame) return this.#lastNext!
    let next = this.#nexts?.get(frame)
    if (next === undefined) {
      next = new FrameBatch(this, frame)
      if (this.#lastFrame !== null) {
        this.#nexts ??= new Map([[this.#lastFrame, this.#lastNext!]])
        this.#nexts.set(frame, next)
      }
    }
    this.#lastFrame = frame
    this.#lastNext = next
    return next
  }

  /** Returns this batch plus a frame that no other socket sends. */
  withUnshared(frame: Frame): FrameBatch {
    return new FrameBatch(this, frame)
  }

  /** Returns all frames of the batch in order, as one buffer. */
  join(): Buffer {
    this.#joined ??= this.#joinFrames()
    return this.#joined
  }

  /** Forgets the batches that continue this batch. Sockets that hold them can still send them. */
  clear(): void {
    this.#lastFrame = null
    this.#lastNext = null
    this.#nexts = null
  }

  #joinFrames(): Buffer {
    if (this.#parent?.bytes === 0 && Buffer.isBuffer(this.#frame)) return this.#frame
    const joined = Buffer.allocUnsafe(this.bytes)
    let end = this.bytes
    for (let batch: FrameBatch | null = this; batch !== null; batch = batch.#parent) {
      if (batch.#frame === null) continue
      end -= batch.#frame.length
      batch.#frame.copy(joined, end)
    }
    return joined
  }
}

/**
 * Frames of one text of a push, by request id. Most subscribers of a topic use the same few ids.
 */
class FramesByRequestId {
  readonly #tail: Buffer
  readonly #isDeflated: boolean
  #lastId: RpcId | undefined = undefined
  #lastFrame: PushFrame | undefined = undefined
  #byId: Map<RpcId, PushFrame> | null = null

  constructor(tail: Buffer, isDeflated: boolean) {
    this.#tail = tail
    this.#isDeflated = isDeflated
  }

  get(id: RpcId): PushFrame {
    if (id === this.#lastId) return this.#lastFrame!
    let frame = this.#byId?.get(id)
    if (frame === undefined) {
      frame = new PushFrame(id, this.#tail, this.#isDeflated)
      // The first id needs no map: usually a push has one subscriber, or all subscribers use the
      // same id.
      if (this.#lastId !== undefined) {
        this.#byId ??= new Map([[this.#lastId, this.#lastFrame!]])
        this.#byId.set(id, frame)
      }
    }
    this.#lastId = id
    this.#lastFrame = frame
    return frame
  }
}

type PushFrames = { push: Push; variants: (FramesByRequestId | undefined)[] }

/** Builds each distinct frame of a push once and shares it between all sockets, until `clear()`. */
export class FrameCache {
  readonly #byPush = new Map<Push, PushFrames>()
  #last: PushFrames | null = null

  frame(push: Push, id: RpcId, isDetailed: boolean, isDeflated: boolean): PushFrame {
    let frames = this.#last
    if (frames?.push !== push) {
      frames = this.#byPush.get(push) ?? null
      if (frames === null) {
        frames = { push, variants: [] }
        this.#byPush.set(push, frames)
      }
      this.#last = frames
    }
    return this.#variant(frames!, isDetailed, isDeflated).get(id)
  }

  clear(): void {
    this.#byPush.clear()
    this.#last = null
  }

  #variant(frames: PushFrames, isDetailed: boolean, isDeflated: boolean): FramesByRequestId {
    const index = (isDetailed ? 1 : 0) + (isDeflated ? 2 : 0)
    let variant = frames.variants[index]
    if (variant === undefined) {
      variant = this.#create(frames, isDetailed, isDeflated)
      frames.variants[index] = variant
    }
    return variant
  }

  #create(frames: PushFrames, isDetailed: boolean, isDeflated: boolean): FramesByRequestId {
    const tail = isDetailed ? frames.push.detailed() : frames.push.plain
    if (!isDeflated) return new FramesByRequestId(tail, false)
    const deflated = deflateTail(tail)
    if (deflated === null) return this.#variant(frames, isDetailed, false)
    return new FramesByRequestId(deflated, true)
  }
}

type Flushable = { flush(): void }

/** State that all sockets of a server share while the pushes of one tick are assembled. */
export type FlushQueue = {
  readonly frames: FrameCache
  /** Root of the batch tree: the empty batch that every socket starts from. */
  readonly emptyBatch: FrameBatch
  /** Schedules one flush of a socket at the end of the current tick. */
  schedule(flushable: Flushable): void
}

/**
 * Flushes all sockets once per event loop iteration. All pushes of an iteration, of one block or
 * several, leave in one write per socket, so a busier loop makes larger writes. With a microtask
 * instead of `setImmediate`, 8 blocks that arrive together took 5.9 times the CPU, and one block
 * the same.
 */
export function createFlushQueue(): FlushQueue {
  const frames = new FrameCache()
  const emptyBatch = FrameBatch.createRoot()
  let waiting: Flushable[] = []

  function flush(): void {
    const flushables = waiting
    waiting = []
    for (const flushable of flushables) flushable.flush()
    frames.clear()
    emptyBatch.clear()
  }

  return {
    frames,
    emptyBatch,
    schedule(flushable) {
      if (waiting.push(flushable) === 1) setImmediate(flush)
    },
  }
}
